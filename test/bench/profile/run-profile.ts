import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measurePeers, type PeerRow } from '#test/bench/peers/peers.js';
import { peerTable } from '#test/bench/peers/tables.js';
import { type Outcome, runScenarios } from '#test/bench/run-scenarios.js';
import type { Effort, Scenario } from '#test/bench/scenario.js';
import { asJson, thisMachine } from './circumstances.js';
import { type Circumstances, howMeasured, writeDocument } from './document.js';
import { measureRow, type ProfileRow } from './row.js';
import { asText, chart, operations, stages, threads, turns } from './tables.js';

/**
 * `profiles`: directory for the CPU profile of each row. `json`: file for all figures. `write`: into docs/performance.md. `peers`: measure the same
 * operations of others, too.
 */
export type ProfileOptions = Readonly<{ profiles?: string | undefined; json?: string | undefined; write: boolean; peers: boolean }>;

const circumstancesOf = (effort: Effort): Circumstances => ({ ...thisMachine(), effort });

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

/** Measures what the scenarios cost, by thread and by stage, and prints it. */
export const runProfile = async (
  chosen: readonly Scenario[],
  effort: Effort,
  { profiles, json, write, peers }: ProfileOptions,
  signal: AbortSignal,
): Promise<Outcome<ProfileRow>> => {
  const circumstances = circumstancesOf(effort);
  console.log(`${howMeasured(circumstances)}\n`);
  const outcome = await runScenarios(
    chosen,
    signal,
    (scenario) => measureRow(scenario, effort, signal, keeperOf(profiles, scenario)),
    (row, all) => {
      const { name, logbook, ratio } = row;
      const longest = `longest turn ${Math.round(row.turns.longestMs)} ms`;
      console.log(`${name}: ${Math.round(logbook.usage.micros)} µs, ratio ${ratio.median.toFixed(2)}, ${longest}`);
      if (json) writeFileSync(json, asJson({ ...circumstances, rows: all }));
    },
  );
  const { results, failed } = outcome;
  if (results.length === 0) return outcome;
  console.log(`\n${[operations, threads, stages, turns].map((table) => asText(table(results))).join('\n\n')}`);
  console.log(`\nCPU of a call as a multiple of that of the bare reference\n\n${chart(results)}`);
  const others = peers && !signal.aborted ? await comparePeers(results, effort, signal) : [];
  if (json) writeFileSync(json, asJson({ ...circumstances, rows: results, peers: others }));
  if (write && failed === 0 && !signal.aborted) console.log(`\nwritten to ${writeDocument(results, others, circumstances)}`);
  return outcome;
};
