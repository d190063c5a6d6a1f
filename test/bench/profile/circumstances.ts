import { execFileSync } from 'node:child_process';
import { release, type } from 'node:os';
import { machine } from '#test/bench/report.js';

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

const commit = (): string => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};

export const thisMachine = (): Measurement => {
  const { load, ...rest } = machine();
  return { at: new Date().toISOString(), commit: commit(), system: `${type()} ${release()}`, load: load[0] ?? 0, ...rest };
};

/** The beginning of a sentence for readers of the figures. */
export const whereMeasured = ({ at, commit, cpu, cores, system, node, load }: Measurement): string =>
  `Measured on ${at.slice(0, 10)} at commit ${commit}: ${cpu}, ${cores} cores, ${system}, Node ${node}, load ${load.toFixed(1)} before`;

/** Maps become objects. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => (member instanceof Map ? Object.fromEntries(member) : member), 1);
