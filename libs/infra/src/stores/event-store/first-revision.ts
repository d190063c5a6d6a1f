import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';

/**
 * Revision of the first event for which a condition holds, found by binary search. The condition must hold for all later events, the newest
 * included, and for none before.
 * @throws EventStoreUnavailable
 */
export const firstRevision = async (
  events: Pick<EventStore, 'readStream'>,
  stream: string,
  newest: Revision,
  holds: (event: RecordedEvent) => boolean,
): Promise<Revision> => {
  let [low, high] = [0n, newest];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [event] = await events.readStream(stream, { from: middle, limit: 1 });
    if (!event || holds(event)) high = middle;
    else low = middle + 1n;
  }
  return low;
};
