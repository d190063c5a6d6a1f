import type { AppendResult } from '#domain/shared/event-store.js';
import type { Position, Revision } from '#domain/shared/events.js';
import type { EncodedEvent, ExactExpectation } from './requests.js';

/** The place of an event, without its data. */
export type EventPlace = Readonly<{ id: string; revision: Revision; position: Position }>;

/**
 * Reads places of events of any stream, system streams included. `from`: `undefined` starts at the first event, or backwards at the last. `withinMs`:
 * how long to try; default: as every read.
 */
type ReadPlaces = (
  stream: string,
  from: Revision | undefined,
  direction: 'forwards' | 'backwards',
  count: number,
  withinMs?: number,
) => Promise<readonly EventPlace[]>;

/** Places of the events of any stream. */
export type StreamPlaces = Readonly<{
  places: ReadPlaces;
  /** Revision of the last event, also of one that has expired or was truncated. `undefined`: no event can be read, and the client cannot say more. */
  last(stream: string): Promise<ExactExpectation | undefined>;
}>;

/** The result of an append whose events lie at `places[index]` and after it, in the same order; `undefined`: they do not. */
export const heldAt = (places: readonly EventPlace[], events: readonly EncodedEvent[], index: number): AppendResult | undefined => {
  const last = places[index + events.length - 1];
  if (!last || !events.every((event, offset) => places[index + offset]?.id === event.id)) return undefined;
  return { revision: last.revision, position: last.position };
};
