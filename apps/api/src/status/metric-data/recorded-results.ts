import type { EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { streamOfHost, streamOfSubmission, withHosts } from '#domain/status/metric-data/earlier-releases.js';
import {
  EventsOfResults,
  type MetricResult,
  type MetricResultsRecorded,
  type ResultsOfEvent,
} from '#domain/status/metric-data/metric-data.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';

type Log = Pick<EventStore, 'readStream'>;

/** A page of a stream. Events with results are large. */
const PAGE = { direction: 'backwards', limit: 200, maxBytes: 4_194_304 } as const;

/** The events of a stream from its end back to a position. */
export async function* newestEvents(log: Log, stream: string, after: Position): AsyncGenerator<RecordedEvent> {
  for (let from: bigint | undefined; ; ) {
    const page = await log.readStream(stream, { ...PAGE, ...(from !== undefined && { from }) });
    for (const event of page) {
      if (event.position <= after) return;
      yield event;
    }
    const last = page.at(-1);
    if (!last || last.revision === 0n) return;
    from = last.revision - 1n;
  }
}

const resultsIn = ({ data, metadata }: RecordedEvent): readonly MetricResult[] => {
  const { results } = (metadata.schemaVersion === 1 ? withHosts(data) : data) as MetricResultsRecorded['data'];
  return results;
};

/** The same text for equal results, in whatever order their members are. */
const nameOf = (result: MetricResult): string => JSON.stringify(Object.entries(result).sort());

/** Streams of the hosts of results, which earlier releases wrote. */
const streamsOfHosts = (tenantId: string, events: readonly ResultsOfEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ results }) => results.map(({ host }) => streamOfHost(tenantId, host))));

/**
 * The results that events in the log do not hold. An earlier release recorded results in parts, in streams of their hosts, so it may have
 * recorded some of them. @throws EventStoreUnavailable
 * @param isOurs selects the events, all after the position `after`
 */
export const unrecorded = async (
  log: Log,
  events: readonly ResultsOfEvent[],
  {
    tenantId,
    streams = [],
    after,
    isOurs,
  }: Readonly<{ tenantId: string; streams?: readonly string[]; after: Position; isOurs(event: RecordedEvent): boolean }>,
): Promise<readonly ResultsOfEvent[]> => {
  const recorded = new Map<string, number>();
  for (const stream of [...streams, ...streamsOfHosts(tenantId, events)])
    for await (const event of newestEvents(log, stream, after))
      for (const name of isOurs(event) ? resultsIn(event).map(nameOf) : []) recorded.set(name, (recorded.get(name) ?? 0) + 1);
  if (recorded.size === 0) return events;
  const left = new EventsOfResults();
  const isLeft = (result: MetricResult): boolean => {
    const name = nameOf(result);
    const times = recorded.get(name) ?? 0;
    recorded.set(name, times - 1);
    return times <= 0;
  };
  for (const { results, bytes } of events) left.add(results.filter(isLeft), bytes);
  return left.all();
};

/** Hours for which an idempotency key is remembered, in milliseconds. */
const REMEMBERED_MS = 48 * 3_600_000;

type KeyedCall = Readonly<{ tenantId: string; idempotency: NonNullable<CommandContext['idempotency']> }> & Pick<CommandContext, 'time'>;

/**
 * The results of a call with an idempotency key that releases up to 1.0.0 have not recorded for that key: all, unless the call was sent before
 * the upgrade. @throws IdempotencyKeyReused, EventStoreUnavailable
 */
export const leftByEarlierRelease = async (
  log: Log,
  { tenantId, idempotency: { key, body }, time }: KeyedCall,
  events: readonly ResultsOfEvent[],
): Promise<readonly ResultsOfEvent[]> => {
  const stream = streamOfSubmission(key);
  const [submission] = await log.readStream(stream, { direction: 'backwards', limit: 1 });
  if (!submission || Date.parse(time) - Date.parse(submission.metadata.time) > REMEMBERED_MS) return events;
  if (submission.metadata.idempotency?.body !== body) throw new IdempotencyKeyReused(stream);
  const isOurs = ({ metadata }: RecordedEvent): boolean => metadata.idempotency?.key.startsWith(`${key}.`) ?? false;
  return unrecorded(log, events, { tenantId, after: submission.position, isOurs });
};
