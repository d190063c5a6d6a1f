import type { Call, FinalState, Violation } from '#test/faults/history.js';
import { groupBy, idsOf, type Write } from './writes.js';

type Submission = Write & Readonly<{ points: readonly string[] }>;

const submissionsOf = (writes: readonly Write[]): readonly Submission[] =>
  writes.flatMap((write) => (write.operation.kind === 'submit' ? [{ ...write, points: write.operation.points }] : []));

/** In the end, every node shows each point of an acknowledged call once, and of any other call all points once, or none. */
export const checkPoints = (writes: readonly Write[], final: FinalState): readonly Violation[] => {
  const submissions = submissionsOf(writes);
  const sent = new Set(submissions.flatMap(({ points }) => points));
  return final.calls.flatMap((call) => {
    if (call.operation.kind !== 'points') return [];
    const shown = groupBy(call.answer.told.points ?? [], (point) => point);
    const unknown = [...shown.keys()].filter((point) => !sent.has(point));
    return [
      ...submissions.flatMap((submission) => checkSubmission(submission, shown, call)),
      ...unknown.map((point) => ({ rule: 'from nowhere', detail: `${call.node} shows the point ${point}`, calls: [call.id] })),
    ];
  });
};

const checkSubmission = (
  { points, state, calls }: Submission,
  shown: ReadonlyMap<string, readonly string[]>,
  { id, node }: Call,
): readonly Violation[] => {
  const found = points.filter((point) => shown.has(point));
  const doubled = found.filter((point) => shown.get(point)?.length !== 1);
  const violation = (rule: string, of: readonly string[]): Violation => ({
    rule,
    detail: `in the end ${node} shows ${of.length} of ${points.length} points: ${of[0] ?? ''}`,
    calls: [...idsOf({ calls }), id],
  });
  if (state === 'not' && found.length > 0) return [violation('refused write took effect', found)];
  if (state === 'done' && found.length < points.length) return [violation('acknowledged write lost', found)];
  if (found.length > 0 && found.length < points.length) return [violation('call torn', found)];
  return doubled.length > 0 ? [violation('point doubled', doubled)] : [];
};
