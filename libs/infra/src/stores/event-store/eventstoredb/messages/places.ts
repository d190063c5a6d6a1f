import type { AppendResult } from '#domain/shared/event-store.js';
import type { Position, Revision } from '#domain/shared/events.js';
import type { EncodedEvent } from './requests.js';

/** The place of an event, without its data. */
export type EventPlace = Readonly<{ id: string; revision: Revision; position: Position }>;

/**
 * Reads places of events of any stream, system streams included. `from`: `undefined` starts at the first event, or backwards at the last. `withinMs`:
 * how long to try; default: as every read.
 */
export type ReadPlaces = (
  stream: string,
  from: Revision | undefined,
  direction: 'forwards' | 'backwards',
  count: number,
  withinMs?: number,
) => Promise<readonly EventPlace[]>;

/** The result of an append whose events lie at `places[index]` and after it, in the same order; `undefined`: they do not. */
export const heldAt = (places: readonly EventPlace[], events: readonly EncodedEvent[], index: number): AppendResult | undefined => {
  const last = places[index + events.length - 1];
  if (!last || !events.every((event, offset) => places[index + offset]?.id === event.id)) return undefined;
  return { revision: last.revision, position: last.position };
};
