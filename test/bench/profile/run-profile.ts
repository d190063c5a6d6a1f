import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeChart, writeFigures } from '#test/bench/figures/figures.js';
import { measurePeers, type PeerRow } from '#test/bench/peers/peers.js';
import { peerChart, peerTable } from '#test/bench/peers/tables.js';
import { type Outcome, runScenarios } from '#test/bench/run-scenarios.js';
import type { Effort, Scenario } from '#test/bench/scenario.js';
import { asJson, type Measurement, roundsOf, thisMachine, whereMeasured } from './circumstances.js';
import { measureRow, type ProfileRow } from './row.js';
import { asText, chart, operations, references, stages, type Table, threads, turns } from './tables.js';

/**
 * `profiles`: directory for the CPU profile of each row. `json`: file for all figures. `write`: into docs/figures. `peers`: measure the same operations
 * of others, too.
 */
export type ProfileOptions = Readonly<{ profiles?: string | undefined; json?: string | undefined; write: boolean; peers: boolean }>;

/** Of one scenario: where its CPU profile goes. */
const keeperOf =
  (directory: string | undefined, { name }: Scenario) =>
  (profile: object) => {
    if (directory === undefined) return;
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.cpuprofile`), JSON.stringify(profile));
  };

/** They are not judged: fewer rounds will do. */
const PEER_ROUNDS = 3;

const comparePeers = async (rows: readonly ProfileRow[], effort: Effort, signal: AbortSignal): Promise<readonly PeerRow[]> => {
  console.log('');
  const peers = await measurePeers(rows, { ...effort, warmUps: 1, rounds: Math.min(effort.rounds, PEER_ROUNDS) }, signal);
  if (peers.length > 0) console.log(`\n${asText(peerTable(peers))}`);
  return peers;
};

/** By their names in `docs/figures/profile.json`. */
const tablesOf = (rows: readonly ProfileRow[], effort: Effort): Readonly<Record<string, Table>> => ({
  operations: { ...operations(rows), note: roundsOf(effort) },
  references: references(rows),
  threads: threads(rows),
  stages: stages(rows),
  turns: turns(rows),
});

/** Returns the path of the page. `peers`: none if they were not measured, then what is known of them stays. */
const writeProfile = (rows: readonly ProfileRow[], peers: readonly PeerRow[], effort: Effort, measurement: Measurement): string => {
  if (peers.length > 0) {
    writeFigures('peers', { ...measurement, tables: { operations: peerTable(peers) } });
    writeChart('peers', peerChart(peers));
  }
  return writeFigures('profile', { ...measurement, tables: tablesOf(rows, effort) });
};

/** Measures what the scenarios cost, by thread and by stage, and prints it. */
export const runProfile = async (
  chosen: readonly Scenario[],
  effort: Effort,
  { profiles, json, write, peers }: ProfileOptions,
  signal: AbortSignal,
): Promise<Outcome<ProfileRow>> => {
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}. ${roundsOf(effort)}\n`);
  const outcome = await runScenarios(
    chosen,
    signal,
    (scenario) => measureRow(scenario, effort, signal, keeperOf(profiles, scenario)),
    (row, all) => {
      const { name, logbook, ratio } = row;
      const longest = `longest turn ${Math.round(row.turns.longestMs)} ms`;
      console.log(`${name}: ${Math.round(logbook.usage.micros)} µs, ratio ${ratio.median.toFixed(2)}, ${longest}`);
      if (json) writeFileSync(json, asJson({ ...measurement, effort, rows: all }));
    },
  );
  const { results, failed } = outcome;
  if (results.length === 0) return outcome;
  console.log(`\n${Object.values(tablesOf(results, effort)).map(asText).join('\n\n')}`);
  console.log(`\nCPU of a call as a multiple of that of the bare reference\n\n${chart(results)}`);
  const others = peers && !signal.aborted ? await comparePeers(results, effort, signal) : [];
  if (json) writeFileSync(json, asJson({ ...measurement, effort, rows: results, peers: others }));
  if (write && failed === 0 && !signal.aborted) console.log(`\nwritten to ${writeProfile(results, others, effort, measurement)}`);
  return outcome;
};
