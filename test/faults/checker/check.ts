import type { Call, FinalState, Violation } from '#test/faults/history.js';
import { checkAnswers } from './answers.js';
import { checkCursors } from './cursors.js';
import { checkNames } from './names.js';
import { checkPast } from './past.js';
import { checkPoints } from './points.js';
import { checkReferences } from './references.js';
import { checkRegisters } from './registers.js';
import { checkTopics } from './topics.js';
import { writesOf } from './writes.js';

/** Everything in a history that must not be, each with the calls that show it. `calls` in the order in which they began. */
export const check = (calls: readonly Call[], final: FinalState): readonly Violation[] => {
  const writes = writesOf(calls);
  return [
    ...checkAnswers(writes, calls),
    ...checkRegisters(writes, calls, final),
    ...checkNames(writes, final),
    ...checkReferences(writes, final),
    ...checkTopics(writes, calls, final),
    ...checkPoints(writes, final),
    ...checkCursors(calls),
    ...checkPast(writes, calls, final),
    ...checkEnding(final),
  ];
};

const checkEnding = ({ verifications, chain, ended, stuck }: FinalState): readonly Violation[] => [
  ...verifications
    .filter(({ equal }) => !equal)
    .map(({ projection, detail }) => ({ rule: 'projection differs from the log', detail: `${projection}: ${detail}`, calls: [] })),
  ...(chain.intact ? [] : [{ rule: 'chain broken', detail: chain.detail, calls: [] }]),
  ...ended.map((detail) => ({ rule: 'process ended by itself', detail, calls: [] })),
  ...stuck.map((detail) => ({ rule: 'did not recover', detail, calls: [] })),
];
