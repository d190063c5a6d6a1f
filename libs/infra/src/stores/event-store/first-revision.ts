import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';

/**
 * Revision of the first event of a stream for which something holds, found by halves: it does not hold for the events before that one, and holds for all
 * after it, the newest included.
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
