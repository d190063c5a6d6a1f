import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, type } from 'node:os';
import type { Effort } from '#test/bench/scenario.js';

/** Where and when figures were measured. `at`: ISO 8601, UTC. `load`: the machine's average of the last minute, before. */
export type Measurement = Readonly<{
  at: string;
  commit: string;
  cpu: string;
  cores: number;
  system: string;
  node: string;
  load: number;
}>;

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Documents do not count as changes: each run writes its figures into them. */
const commit = (): string => {
  try {
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs');
    return `${git('rev-parse', '--short=12', 'HEAD')}${changes === '' ? '' : '-dirty'}`;
  } catch {
    return 'unknown';
  }
};

export const thisMachine = (): Measurement => ({
  at: new Date().toISOString(),
  commit: commit(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  system: `${type()} ${release()}`,
  node: process.version,
  load: loadavg()[0] ?? 0,
});

/** The beginning of a sentence for readers of the figures. */
export const whereMeasured = ({ at, commit, cpu, cores, system, node, load }: Measurement): string =>
  `Measured on ${at.slice(0, 10)} at commit ${commit}: ${cpu}, ${cores} cores, ${system}, Node ${node}, load ${load.toFixed(1)} before`;

/** How the operations of a profile are measured. */
export const roundsOf = ({ warmUps, rounds, sliceSeconds }: Effort): string =>
  `Of each operation ${rounds} rounds of ${sliceSeconds} s after ${warmUps} to warm up, on embedded stores; chain, audit index and history on.`;

/** Maps become objects. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => (member instanceof Map ? Object.fromEntries(member) : member), 1);
