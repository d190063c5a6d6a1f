import type { CatalogueOf } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import type { LetterOutcome, OffsetRange, SetAside } from './set-aside.js';

/** Messages of a topic by their offsets, which are their ids; `to` is not included. */
export type MessageRange = Readonly<{ topicId: string; from: number; to: number }>;

/** The outcome of the messages of a batch. */
type BatchOutcome = Readonly<{
  messages: number;
  points: number;
  /** How many were set aside, by what became of them; `dropped` absent: none. */
  deadLettered: number;
  discarded: number;
  dropped?: number;
  /** The last message that is no metric data, and why. */
  flaw?: Readonly<{ messageId: string; reason: string }>;
  /** All of the range that are set aside now, in order. Absent: none, or an event from before they were listed. */
  setAside?: readonly SetAside[];
  /** Of messages that were set aside and are taken up again: how they counted until now. */
  before?: Readonly<Record<LetterOutcome, number>>;
}>;

/**
 * A wish to take up again what was set aside since an instant (`YYYY-MM-DDTHH:MM:SSZ`; empty: ever). `after`: the batch up to which that is done, as
 * {@link batchKey}; empty: not begun.
 */
export type Retry = Readonly<{ since: string; after: string }>;

/** The name of a batch in a topic; names are in the order of the messages. */
export const batchKey = (topicId: string, from: number): string => `${topicId}/${`${from}`.padStart(16, '0')}`;

/** Each event carries the whole state: `sequence` counts the steps of the work, `done` are ranges that were taken up, the newest last. */
type BatchState = Readonly<{ sequence: number; done: readonly MessageRange[]; retry?: Retry }>;
/** A batch that is being taken up. `again`: of a batch that was taken up before, those of these messages that were set aside. */
type Open = Readonly<{ open: MessageRange; again?: OffsetRange }>;
type OfTenant = Readonly<{ tenantId: string }>;

export type MetricBatchEvent =
  /** From now on these messages are taken up together, by whoever works on the source, until the batch is finished. */
  | Readonly<{ type: 'MetricMessagesTaken'; data: OfTenant & BatchState & Open }>
  /** All their points are in the log, and what is no metric data was put aside. */
  | Readonly<{ type: 'MetricMessagesIngested'; data: OfTenant & BatchState & Readonly<{ range: MessageRange }> & BatchOutcome }>
  /** Messages that were set aside are to be taken up again, batch by batch. */
  | Readonly<{ type: 'MetricRetryRequested'; data: OfTenant & BatchState & Partial<Open> & Readonly<{ retry: Retry }> }>
  /** There are no further ones. */
  | Readonly<{ type: 'MetricRetryFinished'; data: OfTenant & BatchState }>;

/** `seen`: the sequence that the command is based on, `retry`: the wish. */
type Seen = Readonly<{ seen: number; retry?: Retry }>;

export type MetricBatchCommand = OfTenant &
  (
    | (Seen & Readonly<{ type: 'TakeMessages'; range: MessageRange; again?: OffsetRange }>)
    | (Seen & Readonly<{ type: 'FinishMessages'; outcome: BatchOutcome }>)
    | (Seen & Readonly<{ type: 'FinishRetry' }>)
    | Readonly<{ type: 'RequestRetry'; since: string }>
  );

export const METRIC_BATCHES_CATEGORY = 'status.metric_batches';
/** The messages ingested for a tenant, whichever subscription they came from. */
export const streamOfMetricBatches = (tenantId: string): string => `${METRIC_BATCHES_CATEGORY}-${tenantId}`;

export const metricBatchEvents: CatalogueOf<MetricBatchEvent> = {
  MetricMessagesTaken: { resource: none },
  MetricMessagesIngested: { resource: none },
  MetricRetryRequested: { resource: none },
  MetricRetryFinished: { resource: none },
};

/** Ranges that are remembered: one for each gap in what was taken up, so few are needed. */
const MOST_RANGES = 64;

/** The ranges with one more, which is joined to those it touches. */
const joined = (done: readonly MessageRange[], added: MessageRange): readonly MessageRange[] => {
  let { from, to } = added;
  const others = done.filter((range) => {
    const apart = range.topicId !== added.topicId || range.to < from || range.from > to;
    if (!apart) [from, to] = [Math.min(from, range.from), Math.max(to, range.to)];
    return apart;
  });
  return [...others, { topicId: added.topicId, from, to }].slice(-MOST_RANGES);
};

/** Of messages that were delivered, the first ones in a row that are not in `done`; `null` if there are none. */
export const firstNew = (done: readonly MessageRange[], delivered: MessageRange): MessageRange | null => {
  const { topicId } = delivered;
  let [from, to] = [delivered.from, delivered.to];
  for (const range of done.filter((one) => one.topicId === topicId).sort((a, b) => a.from - b.from)) {
    if (range.from <= from) from = Math.max(from, range.to);
    else to = Math.min(to, range.from);
  }
  return from < to ? { topicId, from, to } : null;
};

/** Messages that an event says were set aside. Events from before they were listed say so only if all of a batch were. */
export const setAsideIn = ({
  range,
  messages,
  deadLettered,
  discarded,
  setAside,
}: BatchOutcome & Readonly<{ range: OffsetRange }>): readonly SetAside[] => {
  if (setAside) return setAside;
  const fate = deadLettered === messages ? 'deadLettered' : discarded === messages ? 'discarded' : undefined;
  return fate && messages > 0 ? [{ from: range.from, to: range.to, fate }] : [];
};

type State = BatchState & (Open | Readonly<{ open: null; again?: undefined }>);

const isSame = (one: Retry | undefined, other: Retry | undefined): boolean => one?.since === other?.since && one?.after === other?.after;

/** The wish as it goes on when this batch is taken up for its sake; unchanged if another one has come since the command was made. */
const wishAfter = (kept: Retry | undefined, seen: Retry | undefined, { topicId, from }: MessageRange): Readonly<{ retry?: Retry }> => {
  if (!kept) return {};
  return { retry: isSame(kept, seen) ? { since: kept.since, after: batchKey(topicId, from) } : kept };
};

/**
 * The messages that were taken up for a tenant: one batch at a time, each message once, whatever happens to the cursor of its subscription; only what was
 * set aside may be taken up again. Rejects with `SOURCE_MOVED` what is not based on the last step: another node works on the source, too.
 */
export const metricBatches: Decider<State, MetricBatchCommand, MetricBatchEvent> = {
  window: 1,
  initialState: () => ({ sequence: 0, done: [], open: null }),
  decide: (command, state) => {
    const { tenantId } = command;
    const { sequence, done, open, again, retry } = state;
    const wish = retry && { retry };
    if (command.type === 'RequestRetry') {
      const underWay = open && { open, ...(again && { again }) };
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
      const { range, again: part } = command;
      const after = command.retry ? wishAfter(retry, command.retry, range) : wish;
      return [{ type: 'MetricMessagesTaken', data: { ...next, done, open: range, ...(part && { again: part }), ...after } }];
    }
    if (!open) throw new DomainError('SOURCE_MOVED');
    return [{ type: 'MetricMessagesIngested', data: { ...next, done: joined(done, open), range: open, ...wish, ...command.outcome } }];
  },
  evolve: (_state, { type, data }) => {
    const { sequence, done, retry } = data;
    const kept = { sequence, done, ...(retry && { retry }) };
    const isOpen = (type === 'MetricMessagesTaken' || type === 'MetricRetryRequested') && data.open;
    return isOpen ? { ...kept, open: data.open, ...(data.again && { again: data.again }) } : { ...kept, open: null };
  },
};
