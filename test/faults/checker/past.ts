import type { Call, FinalState, PastLook, RecordRef, Violation } from '#test/faults/history.js';
import type { Write } from './writes.js';

/** The past is as it was, whatever clocks showed: a record is there from its write on and not before, and log time never goes back. */
export const checkPast = (writes: readonly Write[], calls: readonly Call[], { past }: FinalState): readonly Violation[] => {
  const removed = new Set<RecordRef>();
  for (const { operation, state } of writes) if (operation.kind === 'remove' && state !== 'not') removed.add(operation.record);
  return [...past.flatMap((look) => checkLook(look, calls, removed)), ...timesBack(past)];
};

const checkLook = (look: PastLook, calls: readonly Call[], removed: ReadonlySet<RecordRef>): readonly Violation[] => {
  const { call, asOf, isThere, position, time } = look;
  const { told, position: made } = calls[call]?.answer ?? { told: {} };
  if (made === undefined) return [];
  const detail = `${told.record}, made at ${made}, as of ${asOf} (answered as of ${position}, ${time}): ${isThere ? 'there' : 'not there'}`;
  const violation = [{ rule: 'past not as it was', detail, calls: [call] }];
  if (typeof asOf === 'bigint') return isThere === asOf >= made && position <= asOf ? [] : violation;
  const isFound = isThere || removed.has(told.record ?? '');
  return isFound && position >= made && time === asOf ? [] : violation;
};

const timesBack = (past: readonly PastLook[]): readonly Violation[] => {
  const ordered = past.filter(({ time }) => time !== '').toSorted((one, other) => Number(one.position - other.position));
  return ordered.flatMap(({ call, position, time }, index) => {
    const before = ordered[index - 1];
    if (!before || before.time <= time) return [];
    return [
      { rule: 'log time goes back', detail: `${before.time} at ${before.position}, ${time} at ${position}`, calls: [before.call, call] },
    ];
  });
};
