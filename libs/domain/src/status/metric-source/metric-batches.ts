import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import type { LetterOutcome, OffsetRange, SetAside } from './set-aside.js';

/** Messages of a topic by offset, which is their id. `to` is exclusive. */
export type MessageRange = Readonly<{ topicId: string; from: number; to: number }>;

/** Result of ingesting a batch of messages. */
type BatchOutcome = Readonly<{
  messages: number;
  points: number;
  /** Numbers of messages set aside, by outcome. `dropped`: absent for 0. */
  deadLettered: number;
  discarded: number;
  dropped?: number;
  /** The last message that is not metric data, and the reason. */
  flaw?: Readonly<{ messageId: string; reason: string }>;
  /** All messages of the range that are currently set aside, in order. Absent: none. */
  setAside?: readonly SetAside[];
  /** Previous outcomes of messages that are retried. */
  before?: Readonly<Record<LetterOutcome, number>>;
}>;

/**
 * A request to retry the messages set aside since an instant (`YYYY-MM-DDTHH:MM:SSZ`; empty: all). `after`: {@link batchKey} of the last retried
 * batch; empty: not started.
 */
export type Retry = Readonly<{ since: string; after: string }>;

/** Key of a batch in a topic. Keys sort in the order of the messages. */
export const batchKey = (topicId: string, from: number): string => `${topicId}/${`${from}`.padStart(16, '0')}`;

/** Each event carries the whole state. `sequence`: number of steps so far. `done`: ingested ranges, the newest last. */
type BatchState = Readonly<{ sequence: number; done: readonly MessageRange[]; retry?: Retry }>;
/**
 * A batch that is being ingested. `again`: for a retried batch, the range whose set-aside messages are retried. `filter`: that of the subscription
 * when the batch was pulled; empty: none; absent: the batch is retried, or the event is from before filters were recorded.
 */
type Open = Readonly<{ open: MessageRange; again?: OffsetRange; filter?: string }>;
type OfTenant = Readonly<{ tenantId: string }>;

export type MetricBatchEvent =
  /** These messages are ingested as one batch from now on, by any node that works on the source, until the batch is finished. */
  | Readonly<{ type: 'MetricMessagesTaken'; data: OfTenant & BatchState & Open }>
  /** All points of the batch are in the log, and messages that are not metric data are set aside. */
  | Readonly<{ type: 'MetricMessagesIngested'; data: OfTenant & BatchState & Readonly<{ range: MessageRange }> & BatchOutcome }>
  /** Messages that were set aside are to be retried, batch by batch. */
  | Readonly<{ type: 'MetricRetryRequested'; data: OfTenant & BatchState & Partial<Open> & Readonly<{ retry: Retry }> }>
  /** No batches are left to retry. */
  | Readonly<{ type: 'MetricRetryFinished'; data: OfTenant & BatchState }>;

/** `seen`: the sequence on which the command is based. `retry`: the retry request on which it is based. */
type Seen = Readonly<{ seen: number; retry?: Retry }>;

export type MetricBatchCommand = OfTenant &
  (
    | (Seen & Readonly<{ type: 'TakeMessages'; range: MessageRange; again?: OffsetRange; filter?: string }>)
    | (Seen & Readonly<{ type: 'FinishMessages'; outcome: BatchOutcome }>)
    | (Seen & Readonly<{ type: 'FinishRetry' }>)
    | Readonly<{ type: 'RequestRetry'; since: string }>
  );

export const METRIC_BATCHES_CATEGORY = 'status.metric_batches';
/** The messages ingested for a tenant, from any subscription. */
export const streamOfMetricBatches = (tenantId: string): string => `${METRIC_BATCHES_CATEGORY}-${tenantId}`;

export const metricBatchEvents: CatalogueOf<MetricBatchEvent> = {
  MetricMessagesTaken: { resource: none },
  MetricMessagesIngested: { resource: none },
  MetricRetryRequested: { resource: none },
  MetricRetryFinished: { resource: none },
};

/** Maximum number of stored ranges. There is one per gap in the ingested messages, so few are needed. */
const MOST_RANGES = 64;

/** Adds a range and joins it with those that it touches. */
const joined = (done: readonly MessageRange[], added: MessageRange): readonly MessageRange[] => {
  let { from, to } = added;
  const others = done.filter((range) => {
    const apart = range.topicId !== added.topicId || range.to < from || range.from > to;
    if (!apart) [from, to] = [Math.min(from, range.from), Math.max(to, range.to)];
    return apart;
  });
  return [...others, { topicId: added.topicId, from, to }].slice(-MOST_RANGES);
};

/** The first consecutive delivered messages that are not in `done`. `null` if there are none. */
export const firstNew = (done: readonly MessageRange[], delivered: MessageRange): MessageRange | null => {
  const { topicId } = delivered;
  let [from, to] = [delivered.from, delivered.to];
  for (const range of done.filter((one) => one.topicId === topicId).sort((a, b) => a.from - b.from)) {
    if (range.from <= from) from = Math.max(from, range.to);
    else to = Math.min(to, range.from);
  }
  return from < to ? { topicId, from, to } : null;
};

type State = BatchState & (Open | Readonly<{ open: null }>);

const opened = (open: MessageRange, { again, filter }: Pick<Open, 'again' | 'filter'>): Open => ({
  open,
  ...(again && { again }),
  ...(filter !== undefined && { filter }),
});

const isSame = (one: Retry | undefined, other: Retry | undefined): boolean => one?.since === other?.since && one?.after === other?.after;

/** The retry request after this batch is retried. Unchanged if a new request has arrived since the command was made. */
const wishAfter = (kept: Retry | undefined, seen: Retry | undefined, { topicId, from }: MessageRange): Readonly<{ retry?: Retry }> => {
  if (!kept) return {};
  return { retry: isSame(kept, seen) ? { since: kept.since, after: batchKey(topicId, from) } : kept };
};

/**
 * The messages ingested for a tenant: one batch at a time, and each message once, even if the cursor of its subscription moves. Only messages that
 * were set aside may be ingested again. Rejects a command with `SOURCE_MOVED` unless it is based on the last step, because another node works on the
 * source, too.
 */
export const metricBatches: Decider<State, MetricBatchCommand, MetricBatchEvent> = {
  window: 1,
  initialState: () => ({ sequence: 0, done: [], open: null }),
  decide: (command, state) => {
    const { tenantId } = command;
    const { sequence, done, open, retry } = state;
    const wish = retry && { retry };
    if (command.type === 'RequestRetry') {
      const underWay = state.open && opened(state.open, state);
      return [
        { type: 'MetricRetryRequested', data: { tenantId, sequence, done, ...underWay, retry: { since: command.since, after: '' } } },
      ];
    }
    if (command.seen !== sequence) throw new DomainError('SOURCE_MOVED');
    const next = { tenantId, sequence: sequence + 1 };
    if (command.type === 'FinishRetry')
      return isSame(retry, command.retry) ? [{ type: 'MetricRetryFinished', data: { ...next, done } }] : [];
    if (command.type === 'TakeMessages') {
      if (open) throw new DomainError('SOURCE_MOVED');
      const after = command.retry ? wishAfter(retry, command.retry, command.range) : wish;
      return [{ type: 'MetricMessagesTaken', data: { ...next, done, ...opened(command.range, command), ...after } }];
    }
    if (!open) throw new DomainError('SOURCE_MOVED');
    return [{ type: 'MetricMessagesIngested', data: { ...next, done: joined(done, open), range: open, ...wish, ...command.outcome } }];
  },
  evolve: (_state, { type, data }) => {
    const { sequence, done, retry } = data;
    const kept = { sequence, done, ...(retry && { retry }) };
    const isOpen = (type === 'MetricMessagesTaken' || type === 'MetricRetryRequested') && data.open;
    return isOpen ? { ...kept, ...opened(data.open, data) } : { ...kept, open: null };
  },
};
