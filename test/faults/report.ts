import type { Call, Violation } from './history.js';
import type { RunReport } from './run.js';

const countBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
};

const OUTCOMES: readonly Call['answer']['outcome'][] = ['done', 'absent', 'refused', 'away', 'lost'];

/** Tables of what was done, what went wrong on purpose, and what of the rules did not hold. */
export const reportOf = ({ calls, faults, violations, final }: RunReport): string => {
  const kinds = [...new Set(calls.map(({ operation }) => operation.kind))].sort();
  const rows = kinds.map((kind) => {
    const own = countBy(
      calls.filter(({ operation }) => operation.kind === kind),
      ({ answer }) => answer.outcome,
    );
    return `| ${kind} | ${OUTCOMES.map((outcome) => own.get(outcome) ?? 0).join(' | ')} |`;
  });
  const inflicted = [...countBy(faults, ({ kind }) => kind)].map(([kind, count]) => `${kind} ${count}`);
  const broken = [...countBy(violations, ({ rule }) => rule)].map(([rule, count]) => `| ${rule} | ${count} |`);
  return [
    `\n| Calls | ${OUTCOMES.join(' | ')} |`,
    `| --- |${' --- |'.repeat(OUTCOMES.length)}`,
    ...rows,
    `\n${calls.length} calls; faults: ${inflicted.join(', ')}`,
    `${final.verifications.length} projections verified, ${Object.values(final.topics).flat().length} messages read, ${final.past.length} looks at the past`,
    violations.length === 0 ? '\nno rule was violated' : `\n| Violated | Times |\n| --- | --- |\n${broken.join('\n')}`,
  ].join('\n');
};

const lineOf = ({ id, client, node, began, ended, operation, answer }: Call): string => {
  const { status, behind, position, told } = answer;
  return `    ${id} ${(began / 1_000).toFixed(3)}..${(ended / 1_000).toFixed(3)} s ${client} at ${node}: ${JSON.stringify(operation)} → ${status}${behind ? ' behind' : ''}${position === undefined ? '' : ` @${position}`} ${JSON.stringify(told).slice(0, 160)}`;
};

/** A violation with the calls that show it. */
export const storyOf = ({ rule, detail, calls }: Violation, history: readonly Call[]): string =>
  [`\n${rule}: ${detail}`, ...calls.flatMap((id) => (history[id] ? [lineOf(history[id])] : []))].join('\n');
