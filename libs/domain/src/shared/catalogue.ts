import type { DomainEvent, JsonObject } from './events.js';
import type { Marks } from './marks.js';
import type { Mapping } from './resource-change.js';

/** Turns stored data of one schema version into the next; pure. */
type Upcaster = (data: JsonObject) => JsonObject;

/** A stream, or all streams of a category, whose earlier events name further subjects to forget. */
export type Mentions = Readonly<{
  in: Readonly<{ stream: string } | { category: string }>;
  /** Reads the subjects from an event as it is stored: sealed members are not readable here. */
  subjects: (event: Readonly<{ type: string; data: JsonObject }>) => readonly string[];
}>;

/**
 * A keyed hash of a sealed text, stored unencrypted beside it. Equal texts can be found by it even when their key is destroyed. Paths are as in
 * `sensitive`; `as` names the new member, which stands beside that of `of`; hashes are comparable only if `within` has the same value.
 */
export type Pseudonym = Readonly<{ of: string; as: string; within: string }>;

/** How events of a type are stored, and which records they change. */
export type EventSchema = Readonly<{
  /** Current schema version of `data`. Default 1. */
  version?: number;
  /** `upcasters[n]` turns version n + 1 into n + 2; there is one for each version before the current one. */
  upcasters?: readonly Upcaster[];
  /**
   * Members with secrets or personal data. They are stored encrypted with the key of the subject, and read as `null` once that key is destroyed.
   * Each is a path: `email`, `topology.feed`, `items[].notifications.contacts`. In events stored before a member was listed it is not encrypted.
   */
  sensitive?: Readonly<{ subject: (data: JsonObject) => string; members: readonly string[] }>;
  /**
   * How auditors are shown what is secret, personal, or too large: paths in the current shape of the data, sealed or not. A sealed member without a
   * mark is shown as it is.
   */
  marks?: Marks;
  /** Older events, stored without pseudonyms, get them when they are read, as long as the text is readable. */
  pseudonyms?: readonly Pseudonym[];
  /** Subjects to forget: their keys are destroyed soon after this event. Computed from unsealed members only. */
  forgets?: (data: JsonObject) => readonly string[];
  /** Streams whose earlier events name further subjects to forget. */
  forgetsMentioned?: (data: JsonObject) => Mentions | undefined;
  /** The records that auditors may ask for and of which the event changes a member. Default none. */
  resource?: Mapping;
}>;

/** Every event type of a category. An unlisted type is an error on every path; it is never skipped. */
export type EventCatalogue = Readonly<Record<string, EventSchema>>;

/** The same for the events of a union: each has a row, which says all of it. */
export type CatalogueOf<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventSchema & Readonly<{ resource: Mapping }>;
};

/** The same by category of streams. */
export type CataloguesOf<Events extends Readonly<Record<string, DomainEvent>>> = {
  readonly [Category in keyof Events]: CatalogueOf<Events[Category]>;
};
