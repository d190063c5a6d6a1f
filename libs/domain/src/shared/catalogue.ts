import type { JsonObject } from './events.js';

/** Lifts stored data from one schema version to the next; pure. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** Where other subjects that are gone are named: in a stream, or in all streams of a category, by events before the one that forgets them. */
export type Mentions = Readonly<{
  in: Readonly<{ stream: string } | { category: string }>;
  /** Of an event as it is stored: only of members that are not sealed. */
  subjects: (event: Readonly<{ type: string; data: JsonObject }>) => readonly string[];
}>;

/**
 * A keyed hash of a sealed text, stored beside it in the open: by it the text is found and told apart from others, also when its key is gone.
 * Paths as in `sensitive`; `as` is the name of the new member, beside that of `of`; a hash counts only among those of the same `within`.
 */
export type Pseudonym = Readonly<{ of: string; as: string; within: string }>;

/** What the log must know of an event type besides its name. */
export type EventSchema = Readonly<{
  /** The current version of the shape of `data`; default 1. */
  version?: number;
  /** `upcasters[n]` lifts version n + 1 to n + 2; one for each version before the current one. */
  upcasters?: readonly Upcaster[];
  /**
   * Members that hold secrets or personal data: stored encrypted with the key of the subject, unreadable (`null`) once that key is destroyed.
   * Each is a path, `email` or `topology.feed` or `items[].notifications.contacts`. Events stored before a member was listed have it in the open.
   */
  sensitive?: Readonly<{ subject: (data: JsonObject) => string; members: readonly string[] }>;
  /** Events that were stored without them have them too, as long as the text is readable. */
  pseudonyms?: readonly Pseudonym[];
  /** Subjects that are gone with this event: their keys are destroyed soon after it. Only of members that are not sealed. */
  forgets?: (data: JsonObject) => readonly string[];
  /** Further ones, which other events name. */
  forgetsMentioned?: (data: JsonObject) => Mentions;
}>;

/** Every event type of a category. A type that is not listed is an error wherever it is met, never skipped. */
export type EventCatalogue = Readonly<Record<string, EventSchema>>;
