import { isMet, median, type Ratio, type Round, ratioOf } from './measure.js';
import type { Sample, Scenario, Target } from './scenario.js';

/** What came of a scenario. `met` is null where there is no target. */
export type Result = Readonly<{
  name: string;
  reference: string;
  target: Target | null;
  ratio: Ratio;
  met: boolean | null;
  rounds: readonly Round[];
}>;

export const resultOf = ({ name, reference, target }: Scenario, rounds: readonly Round[]): Result => {
  const ratio = ratioOf(rounds, target);
  return { name, reference, target: target ?? null, ratio, met: target ? isMet(ratio, target) : null, rounds };
};

const columns = [
  ['', 50],
  ['ratio', 6],
  ['(from-to)', 11],
  ['target', 7],
  ['', 5],
  ['Logbook/s', 10],
  ['ref/s', 10],
  ['CPU µs', 13],
] as const;

const row = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => (index === 0 ? cell.padEnd(columns[0][1]) : cell.padStart(columns[index]?.[1] ?? 0)))
    .join(' ')
    .trimEnd();

export const tableHead = (): string => row(columns.map(([title]) => title));

/** The middle of a figure that not every scenario has. */
const middle = (samples: readonly Sample[], figure: 'perSecond' | 'cpuMicros' | 'generatorBusy'): number | undefined => {
  const values = samples.flatMap((sample) => sample[figure] ?? []);
  return values.length > 0 ? median(values) : undefined;
};

const whole = (value: number | undefined): string => (value === undefined ? '-' : Math.round(value).toLocaleString('en'));

export const targetText = (target: Target): string => ('atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`);

/** Near the end of what the load generator can do. */
const SATURATED = 0.95;

/** A line of the table and, where the figure needs it, a note below. */
export const tableRow = ({ name, reference, target, ratio, met, rounds }: Result): string => {
  const logbook = rounds.map((round) => round.logbook);
  const references = rounds.map((round) => round.reference);
  const line = row([
    name,
    ratio.median.toFixed(2),
    `(${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)})`,
    target === null ? '-' : targetText(target),
    met === null ? '' : met ? 'pass' : 'MISS',
    whole(middle(logbook, 'perSecond')),
    whole(middle(references, 'perSecond')),
    `${whole(middle(logbook, 'cpuMicros'))} : ${whole(middle(references, 'cpuMicros'))}`,
  ]);
  const saturated = (middle(references, 'generatorBusy') ?? 0) > SATURATED;
  const note = saturated ? '; the load generator was at its limit there, so the ratio flatters' : '';
  return `${line}\n    against ${reference}${note}`;
};
