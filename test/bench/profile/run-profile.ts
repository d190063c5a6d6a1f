import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { release, type } from 'node:os';
import { join } from 'node:path';
import { machine } from '#test/bench/report.js';
import { type Outcome, runScenarios } from '#test/bench/run-scenarios.js';
import type { Effort, Scenario } from '#test/bench/scenario.js';
import { type Circumstances, howMeasured, writeDocument } from './document.js';
import { measureRow, type ProfileRow } from './row.js';
import { asText, chart, operations, stages, threads } from './tables.js';

/** `profiles`: directory for the CPU profile of each row. `json`: file for all figures. `write`: into docs/performance.md. */
export type ProfileOutputs = Readonly<{ profiles?: string | undefined; json?: string | undefined; write: boolean }>;

const commit = (): string => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};

const circumstancesOf = (effort: Effort): Circumstances => {
  const { load, ...rest } = machine();
  return { at: new Date().toISOString(), commit: commit(), system: `${type()} ${release()}`, load: load[0] ?? 0, ...rest, effort };
};

const asJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) => (member instanceof Map ? Object.fromEntries(member) : member), 1);

/** Of one scenario: where its CPU profile goes. */
const keeperOf =
  (directory: string | undefined, { name }: Scenario) =>
  (profile: object) => {
    if (directory === undefined) return;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.cpuprofile`), JSON.stringify(profile));
  };

/** Measures what the scenarios cost, by thread and by stage, and prints it. */
export const runProfile = async (
  chosen: readonly Scenario[],
  effort: Effort,
  { profiles, json, write }: ProfileOutputs,
  signal: AbortSignal,
): Promise<Outcome<ProfileRow>> => {
  const circumstances = circumstancesOf(effort);
  console.log(`${howMeasured(circumstances)}\n`);
  const outcome = await runScenarios(
    chosen,
    signal,
    (scenario) => measureRow(scenario, effort, signal, keeperOf(profiles, scenario)),
    (row, all) => {
      console.log(`${row.name}: ${Math.round(row.logbook.usage.micros)} µs, ratio ${row.ratio.median.toFixed(2)}`);
      if (json) writeFileSync(json, asJson({ ...circumstances, rows: all }));
    },
  );
  const { results, failed } = outcome;
  if (results.length === 0) return outcome;
  console.log(`\n${[operations, threads, stages].map((table) => asText(table(results))).join('\n\n')}`);
  console.log(`\nCPU of a call as a multiple of that of the bare reference\n\n${chart(results)}`);
  if (write && failed === 0 && !signal.aborted) console.log(`\nwritten to ${writeDocument(results, circumstances)}`);
  return outcome;
};
