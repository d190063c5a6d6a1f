import type { Answer, Call, Operation } from '#test/faults/history.js';

/**
 * What became of a write: all calls under one intent together. `done`: it was acknowledged; `not`: it was refused, so it must have no effect;
 * `maybe`: nobody was told, it may take effect at any time or never.
 */
export type Write = Readonly<{
  operation: Operation;
  state: 'done' | 'maybe' | 'not';
  calls: readonly Call[];
  began: number;
  /** Infinite for `maybe`. */
  ended: number;
  /** Of its last event, where that is certain: a repeat of a call is told a later one. */
  position?: bigint;
  /** The call that was answered with success; else the last one. */
  last: Call;
}>;

const WRITES: ReadonlySet<Operation['kind']> = new Set(['create', 'remove', 'set', 'submit', 'publish', 'acknowledge']);

/** 503 leaves open whether the event came into the log before the store went away. */
export const isOpen = ({ outcome }: Answer): boolean => outcome === 'lost' || outcome === 'away';

const writeOf = (calls: readonly Call[]): Write => {
  const [first, done] = [calls[0] as Call, calls.find(({ answer }) => answer.outcome === 'done')];
  const last = done ?? (calls.at(-1) as Call);
  const state = done ? 'done' : calls.some(({ answer }) => isOpen(answer)) ? 'maybe' : 'not';
  return {
    operation: first.operation,
    state,
    calls,
    began: first.began,
    ended: state === 'maybe' ? Number.POSITIVE_INFINITY : last.ended,
    position: done && calls[0] === done ? done.answer.position : undefined,
    last,
  };
};

/** All writes of a history, in the order in which they began. */
export const writesOf = (calls: readonly Call[]): readonly Write[] => {
  const intents = new Map<string, Call[]>();
  for (const call of calls) {
    if (!WRITES.has(call.operation.kind)) continue;
    const known = intents.get(call.intent);
    if (known) known.push(call);
    else intents.set(call.intent, [call]);
  }
  return [...intents.values()].map(writeOf).sort((one, other) => one.began - other.began);
};

/** Whether one certainly took effect before the other: by the log where it is known, else by time. */
export const isBefore = (one: Pick<Write, 'position' | 'ended'>, other: Pick<Write, 'position' | 'began'>): boolean =>
  one.position !== undefined && other.position !== undefined ? one.position < other.position : one.ended < other.began;

/** Groups, in the order of their first members. */
export const groupBy = <Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

/** The ids of the calls of a write. */
export const idsOf = (...writes: readonly Pick<Write, 'calls'>[]): readonly number[] =>
  writes.flatMap(({ calls }) => calls.map(({ id }) => id));
