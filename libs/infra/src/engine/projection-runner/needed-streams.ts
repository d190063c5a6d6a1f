import { LOG_STREAM } from '#domain/operations/log-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { streamPages } from '#infra/stores/event-store/stream-pages.js';
import type { NeededStreams } from '#projections/shared/projection.js';

const STREAMS_AT_ONCE = 16;
/** With more events, characters of their data or streams, a search of the log takes less memory and not much more time. */
const MOST_EVENTS = 50_000;
const MOST_CHARACTERS = 2 ** 24;
const MOST_STREAMS = 5_000;

/**
 * Events of the streams and openings of the log, up to the position `end` and in log order. `null`: they are too many, a stream hides its first ones,
 * which the log may still have (a limit that another program has set), or the signal is aborted.
 * @throws EventStoreUnavailable
 */
export const eventsOfStreams = async (
  events: Pick<EventStore, 'readStream'>,
  { fixed, namedBy }: NeededStreams,
  end: Position,
  signal: AbortSignal,
): Promise<readonly RecordedEvent[] | null> => {
  const found: RecordedEvent[] = [];
  const streams = new Set([LOG_STREAM, ...fixed]);
  let [characters, hidesSome] = [0, false];
  const isTooMuch = (): boolean => found.length > MOST_EVENTS || characters > MOST_CHARACTERS || streams.size > MOST_STREAMS;
  const isPointless = (): boolean => signal.aborted || hidesSome || isTooMuch();
  const add = (event: RecordedEvent): void => {
    found.push(event);
    characters += JSON.stringify(event.data).length;
    const named = namedBy?.(event);
    if (named !== undefined) streams.add(named);
  };
  const read = async (stream: string): Promise<void> => {
    let next = 0n;
    for await (const page of streamPages(events, stream)) {
      for (const event of page) if (event.position <= end) add(event);
      hidesSome ||= page[0]?.revision !== next;
      next += BigInt(page.length);
      if (isPointless()) return;
    }
  };
  for (let done = 0; done < streams.size; ) {
    const some = [...streams].slice(done, done + STREAMS_AT_ONCE);
    done += some.length;
    await Promise.all(some.map(read));
    if (isPointless()) return null;
  }
  return found.sort((one, other) => (one.position < other.position ? -1 : 1));
};
