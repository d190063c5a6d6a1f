import type { DomainEvent, JsonObject } from './events.js';
import type { Marks } from './marks.js';
import type { Mapping } from './resource-change.js';

/** Converts stored data of one schema version to the next; pure. */
type Upcaster = (data: JsonObject) => JsonObject;

/** A stream, or all streams of some categories, whose earlier events name further subjects to forget. */
export type Mentions = Readonly<{
  in: Readonly<{ stream: string } | { categories: readonly string[] }>;
  /** Reads the subjects from a stored event. Sealed members are not readable here. */
  subjects: (event: Readonly<{ type: string; data: JsonObject }>) => readonly string[];
}>;

/**
 * A keyed hash of a sealed text, stored unencrypted next to it, so equal texts can be found even after their key is destroyed. Paths are as in
 * `sensitive`. `as` names the new member, a sibling of `of`. Hashes are comparable only if `within` has the same value.
 */
export type Pseudonym = Readonly<{ of: string; as: string; within: string }>;

/** How events of a type are stored, and which records they change. */
export type EventSchema = Readonly<{
  /** Current schema version of `data`. Default 1. */
  version?: number;
  /** `upcasters[n]` converts version n + 1 to n + 2. One for each version before the current one. */
  upcasters?: readonly Upcaster[];
  /**
   * Members with secrets or personal data. They are stored encrypted with the key of the subject, and read as `null` once that key is destroyed.
   * Each is a path: `email`, `topology.feed`, `items[].notifications.contacts`. In events stored before a member was listed it is not encrypted.
   */
  sensitive?: Readonly<{ subject: (data: JsonObject) => string; members: readonly string[] }>;
  /**
   * Presentation of secret, personal or large values to auditors: paths in the current shape of the data, sealed or not. A sealed member without a mark is
   * shown unchanged.
   */
  marks?: Marks;
  /** Older events, stored without pseudonyms, get them when they are read, as long as the text is readable. */
  pseudonyms?: readonly Pseudonym[];
  /** Subjects to forget: their keys are destroyed soon after this event. Computed from unsealed members only. */
  forgets?: (data: JsonObject) => readonly string[];
  /** Streams whose earlier events name further subjects to forget. */
  forgetsMentioned?: (data: JsonObject) => Mentions | undefined;
  /** Records that auditors may ask for and of which the event changes a member. Default none. */
  resource?: Mapping;
}>;

/** Every event type of a category. An unlisted type is an error on every path; it is never skipped. */
export type EventCatalogue = Readonly<Record<string, EventSchema>>;

/** Catalogue of a union of events: exactly one row for each type. */
export type CatalogueOf<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: EventSchema & Readonly<{ resource: Mapping }>;
};

/** Catalogues by category of streams. */
export type CataloguesOf<Events extends Readonly<Record<string, DomainEvent>>> = {
  readonly [Category in keyof Events]: CatalogueOf<Events[Category]>;
};
