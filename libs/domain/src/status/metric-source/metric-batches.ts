import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';

/** Messages of a topic by their offsets, which are their ids; `to` is not included. */
export type MessageRange = Readonly<{ topicId: string; from: number; to: number }>;

/** What became of the messages of a batch. */
export type BatchOutcome = Readonly<{
  messages: number;
  points: number;
  /** Messages that are no metric data and went to the dead-letter topic. */
  deadLettered: number;
  /** The same without a topic that takes them. */
  discarded: number;
  /** The last message that is no metric data, and why. */
  flaw?: Readonly<{ messageId: string; reason: string }>;
}>;

/** Each event carries the whole state: `sequence` counts the events, `done` are ranges that were taken up, the newest last. */
type BatchState = Readonly<{ sequence: number; done: readonly MessageRange[] }>;
type OfTenant = Readonly<{ tenantId: string }>;

export type MetricBatchEvent =
  /** From now on these messages are taken up together, by whoever works on the source, until the batch is finished. */
  | Readonly<{ type: 'MetricMessagesTaken'; data: OfTenant & BatchState & Readonly<{ open: MessageRange }> }>
  /** All their points are in the log, and what is no metric data was put aside. */
  | Readonly<{ type: 'MetricMessagesIngested'; data: OfTenant & BatchState & Readonly<{ range: MessageRange }> & BatchOutcome }>;

/** `seen`: the sequence that the command is based on. */
export type MetricBatchCommand = OfTenant &
  Readonly<{ seen: number }> &
  (Readonly<{ type: 'TakeMessages'; range: MessageRange }> | Readonly<{ type: 'FinishMessages'; outcome: BatchOutcome }>);

export const METRIC_BATCHES_CATEGORY = 'status.metric_batches';
/** What was taken up for a tenant, whichever subscription it came from. */
export const streamOfMetricBatches = (tenantId: string): string => `${METRIC_BATCHES_CATEGORY}-${tenantId}`;

export const metricBatchEvents: EventCatalogue = { MetricMessagesTaken: {}, MetricMessagesIngested: {} };

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

type State = BatchState & Readonly<{ open: MessageRange | null }>;

/**
 * The messages that were taken up for a tenant: one batch at a time, each message once, whatever happens to the cursor of its subscription. Rejects with
 * `SOURCE_MOVED` what is not based on the last event: another node works on the source, too.
 */
export const metricBatches: Decider<State, MetricBatchCommand, MetricBatchEvent> = {
  window: 1,
  initialState: () => ({ sequence: 0, done: [], open: null }),
  decide: (command, { sequence, done, open }) => {
    const { tenantId, seen } = command;
    if (seen !== sequence) throw new DomainError('SOURCE_MOVED');
    if (command.type === 'TakeMessages') {
      if (open) throw new DomainError('SOURCE_MOVED');
      return [{ type: 'MetricMessagesTaken', data: { tenantId, sequence: sequence + 1, done, open: command.range } }];
    }
    if (!open) throw new DomainError('SOURCE_MOVED');
    const data = { tenantId, sequence: sequence + 1, done: joined(done, open), range: open, ...command.outcome };
    return [{ type: 'MetricMessagesIngested', data }];
  },
  evolve: (_state, { type, data }) => ({
    sequence: data.sequence,
    done: data.done,
    open: type === 'MetricMessagesTaken' ? data.open : null,
  }),
};
