import { DamagedLog } from '#domain/shared/damaged-log.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';

/** Returns whether a read failed because of the stored data, so that it would fail again. An outage is temporary. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DamagedLog ||
  error instanceof SyntaxError ||
  (error instanceof Error && error.cause instanceof Error && isDamage(error.cause));

/** Result of a read; `instead` if the stored data are damaged. @throws EventStoreUnavailable */
export const unlessDamaged = async <Result, Instead>(read: () => Promise<Result>, instead: Instead): Promise<Result | Instead> => {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return instead;
    throw error;
  }
};

/** An event of a stream, or the revision of one that cannot be read. */
export type StreamRecord = Readonly<{ event: RecordedEvent }> | Readonly<{ unreadable: number }>;

const PAGE_EVENTS = 100;
/** Consecutive failed reads of single events after which the rest of the stream counts as lost. */
const MAX_FAILURES = 1_000;

/** The events of a stream from a revision on, skipping damaged ones. @throws EventStoreUnavailable */
export async function* survivorsOf(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  from: number,
  pageEvents = PAGE_EVENTS,
): AsyncGenerator<StreamRecord, void, void> {
  let failures = 0;
  for (let next = from; failures < MAX_FAILURES; ) {
    const options = { from: BigInt(next), limit: failures === 0 ? pageEvents : 1 };
    const events = await unlessDamaged(() => store.readStream(stream, options), null);
    if (events === null) {
      failures += 1;
      if (failures === 1) continue; // retries them one by one
      yield { unreadable: next };
      next += 1;
      continue;
    }
    if (events.length === 0) return;
    failures = 0;
    for (const event of events) yield { event };
    next = Number(events.at(-1)?.revision) + 1;
  }
}
