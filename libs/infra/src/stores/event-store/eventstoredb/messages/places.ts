import type { AppendResult } from '#domain/shared/event-store.js';
import type { Position, Revision } from '#domain/shared/events.js';
import type { EncodedEvent, ExactExpectation } from './requests.js';

/** The place of an event, without its data. */
export type EventPlace = Readonly<{ id: string; revision: Revision; position: Position }>;

/**
 * Reads places of events of any stream, including system streams. `from`: `undefined` starts at the first event, or backwards at the last.
 * `withinMs`: time limit; default: as for every read.
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
  /** Revision of the last event, even if expired or truncated. `undefined`: no event can be read, and the client reports nothing else. */
  last(stream: string): Promise<ExactExpectation | undefined>;
}>;

/** Result of an append whose events lie at `places[index]` and after it, in the same order; `undefined` if they do not. */
export const heldAt = (places: readonly EventPlace[], events: readonly EncodedEvent[], index: number): AppendResult | undefined => {
  const last = places[index + events.length - 1];
  if (!last || !events.every((event, offset) => places[index + offset]?.id === event.id)) return undefined;
  return { revision: last.revision, position: last.position };
};
