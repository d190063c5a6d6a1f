import type { JsonObject } from './events.js';

/** Lifts stored data from one schema version to the next; pure. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** What the log must know of an event type besides its name. */
export type EventSchema = Readonly<{
  /** The current version of the shape of `data`; default 1. */
  version?: number;
  /** `upcasters[n]` lifts version n + 1 to n + 2; one for each version before the current one. */
  upcasters?: readonly Upcaster[];
  /** Top-level members that hold secrets or personal data: stored encrypted with the key of the subject, unreadable once that key is destroyed. */
  sensitive?: Readonly<{ subject: (data: JsonObject) => string; members: readonly string[] }>;
  /** Subjects that are gone with this event: their keys are destroyed soon after it. Only of members that are not sealed. */
  forgets?: (data: JsonObject) => readonly string[];
}>;

/** Every event type of a category. A type that is not listed is an error wherever it is met, never skipped. */
export type EventCatalogue = Readonly<Record<string, EventSchema>>;
