import type { Call, Operation, RecordRef, Violation } from '#test/faults/history.js';
import type { Write } from './writes.js';

/** Answers that are neither success, nor 404 (which the registers judge), nor 503. */
const ALLOWED: Readonly<Record<Operation['kind'], readonly number[]>> = {
  create: [409],
  remove: [],
  look: [],
  list: [],
  set: [],
  get: [],
  submit: [],
  points: [],
  publish: [],
  pull: [],
  acknowledge: [408, 409],
  offsets: [],
};

/** Where something refers to a record, or a record refers to something, rules may refuse. */
const REFUSED_BY_REFERENCE: readonly number[] = [400, 403, 409];

/** Nobody is told a final answer that is none: no 500, no 401 for valid callers, no refusal that no rule gives; 503 says when to come back. */
export const checkAnswers = (writes: readonly Write[], calls: readonly Call[]): readonly Violation[] => {
  const referred = new Set<RecordRef>();
  for (const { operation, state } of writes)
    if (operation.kind === 'create' && state !== 'not') for (const record of operation.refersTo) referred.add(record);
  return calls.flatMap((call) => checkAnswer(call, referred));
};

const checkAnswer = ({ id, node, operation, answer }: Call, referred: ReadonlySet<RecordRef>): readonly Violation[] => {
  const { outcome, status, text } = answer;
  const detail = `${node} answers ${status} to ${operation.kind}: ${text.slice(0, 200)}`;
  if (outcome === 'away') return answer.retryAfter ? [] : [{ rule: '503 without Retry-After', detail, calls: [id] }];
  if (outcome === 'lost' || outcome === 'done') return [];
  if (outcome === 'absent') return mayBeAbsent(operation) ? [] : [{ rule: 'wrong answer', detail, calls: [id] }];
  const isRuled =
    (operation.kind === 'remove' && referred.has(operation.record)) || (operation.kind === 'create' && operation.refersTo.length > 0);
  const allowed = isRuled ? [...ALLOWED[operation.kind], ...REFUSED_BY_REFERENCE] : ALLOWED[operation.kind];
  return allowed.includes(status) ? [] : [{ rule: 'wrong answer', detail, calls: [id] }];
};

/** Topics and subscriptions of the run are never deleted. */
const mayBeAbsent = (operation: Operation): boolean => {
  if (operation.kind === 'create') return operation.refersTo.length > 0;
  return operation.kind === 'remove' || operation.kind === 'look' || operation.kind === 'set' || operation.kind === 'get';
};
