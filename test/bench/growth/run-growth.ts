import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { METRICS_READ_MODEL } from '#projections/accounting/metrics/documents.js';
import { writeFigures } from '#test/bench/figures/figures.js';
import { accountingHeaders } from '#test/bench/inputs/accounting-data.js';
import { install } from '#test/bench/installation.js';
import { end, job, rssAnonBytes } from '#test/bench/operating.js';
import { asJson, thisMachine, whereMeasured } from '#test/bench/profile/circumstances.js';
import { asText, figure, type Table } from '#test/bench/profile/tables.js';
import type { Child } from '#test/bench/servers/child.js';
import { storeSizes } from '#test/bench/store-sizes.js';
import { Cleanup } from '#test/support/cleanup.js';
import { measureCopies } from './copies.js';
import { appendYears, openGrowthWorld, YEARS } from './years.js';

/** `events`: sizes of logs, each made anew. */
export type GrowthOptions = Readonly<{ events: readonly number[]; json?: string | undefined; write: boolean }>;

/** Figures by their names, in the order of the table. */
type Grown = Readonly<{ events: number; figures: ReadonlyMap<string, number> }>;

const PATIENCE_MS = 4 * 3_600_000;
const LOOK_MS = 50;
const MIB = 1_048_576;
const headers = { 'x-api-key': 'bench-ops', 'content-type': 'application/json' };

const ask = async ({ url }: Child, path: string, more: Readonly<Record<string, string>> = headers): Promise<Response> => {
  const answer = await fetch(url + path, { headers: more });
  if (!answer.ok && answer.status !== 503) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
};

/** Asks until the answer is not 503. @returns milliseconds of the last call */
const answered = async (server: Child, path: string, more?: Readonly<Record<string, string>>): Promise<number> => {
  for (;;) {
    const begun = performance.now();
    const answer = await ask(server, path, more);
    await answer.arrayBuffer();
    if (answer.ok) return performance.now() - begun;
    await sleep(LOOK_MS);
  }
};

/** CPU seconds of the server for a job, until its end. @throws when it is not done */
const costOf = async (server: Child, path: string, body?: object): Promise<number> => {
  const before = await server.cpuMicros();
  await job(server, path, body);
  return ((await server.cpuMicros()) - before) / 1e6;
};

type Said = (name: string, value: number) => void;

/** An installation with a log of so many events, appended without a server. `caughtUp`: waits until a server has read all of it. */
const installLog = async (cleanup: Cleanup, events: number) => {
  const backups = mkdtempSync(join(tmpdir(), 'logbook-bench-backups-'));
  cleanup.defer(() => rmSync(backups, { recursive: true, force: true }));
  const environment = { LOGBOOK_MESSAGING_RETENTION: '36500d', LOGBOOK_BACKUP_DIR: backups };
  const lab = { effort: { warmUps: 0, rounds: 0, sliceSeconds: 0, manyEvents: 0 }, cleanup, environment };
  const installation = await install(lab, 'embedded');
  const world = await openGrowthWorld(installation, end);
  const head = await installation.withRuntime(async ({ eventStore }) => {
    await appendYears(eventStore, world, events);
    return eventStore.head();
  });
  const page = `/accounting-system/installations/${world.places[0]?.installationId}/metrics?page=1&size=10`;
  const readAt = (server: Child, position: bigint) =>
    answered(server, page, { ...accountingHeaders, 'logbook-as-of': `${position}`, 'x-api-key': 'bench-ops' });
  const caughtUp = async (server: Child) => {
    await answered(server, '/audit/events?order=desc&limit=1');
    await readAt(server, head);
  };
  return { installation, backups, head, readAt, caughtUp };
};

/** Copies of a log of so many events. */
const copy = async (events: number, said: Said): Promise<void> => {
  const cleanup = new Cleanup();
  try {
    const { installation, caughtUp } = await installLog(cleanup, events);
    const server = await installation.serve({}, PATIENCE_MS);
    await caughtUp(server);
    await end(server);
    await measureCopies(installation, said);
  } finally {
    await cleanup.run();
  }
};

const grow = async (events: number, said: Said): Promise<void> => {
  const cleanup = new Cleanup();
  try {
    const { installation, backups, head, readAt, caughtUp } = await installLog(cleanup, events);
    const behind = await installation.serve({}, PATIENCE_MS);
    await caughtUp(behind);
    said('catching up from nothing: read models, history, chain, index; CPU s', (await behind.cpuMicros()) / 1e6);
    said('memory after it, MiB', rssAnonBytes(behind) / MIB);
    await end(behind);

    const started = performance.now();
    const server = await installation.serve({}, PATIENCE_MS);
    said('start until ready, ms', performance.now() - started);
    said('start, CPU ms', (await server.cpuMicros()) / 1e3);
    said('memory at rest, MiB', rssAnonBytes(server) / MIB);
    said('first read as of the middle, ms', await readAt(server, head / 2n));
    said('the next, ms', await readAt(server, head / 2n));
    said('first page of a filter of events, ms', await answered(server, '/audit/events?order=desc&limit=50&type=WeightsSnapshotDated'));
    said('first page of changes, ms', await answered(server, '/audit/changes'));
    said('rebuild of accounting.metrics, CPU s', await costOf(server, `/ops/projections/${METRICS_READ_MODEL}/rebuild`));
    said('comparing it with the log, CPU s', await costOf(server, `/ops/projections/${METRICS_READ_MODEL}/verify`));
    said('verification of the log, CPU s', await costOf(server, '/audit/verifications', {}));
    said('backup, CPU s', await costOf(server, '/ops/backups', { directory: 'growth' }));
    said('memory after all of it, MiB', rssAnonBytes(server) / MIB);
    await end(server);
    for (const [store, { file, held }] of storeSizes(installation.directory)) {
      said(`${store}: held, MiB`, held / MIB);
      said(`${store}: file, MiB`, file / MIB);
    }
    rmSync(backups, { recursive: true, force: true });
    await measureCopies(installation, said);
  } finally {
    await cleanup.run();
  }
};

/** A column for each size, and the exponent by which a figure grows from the smallest to the largest: 1 is in proportion, 0 not at all. */
const growthTable = (grown: readonly Grown[]): Table => {
  const [least, most] = [grown[0], grown.at(-1)];
  const names = [...new Set(grown.flatMap(({ figures }) => [...figures.keys()]))];
  const law = (name: string): string => {
    const [one = 0, other = 0] = [least?.figures.get(name), most?.figures.get(name)];
    if (!least || !most || least === most || one <= 0 || other <= 0) return '';
    return (Math.log(other / one) / Math.log(most.events / least.events)).toFixed(2);
  };
  return {
    head: ['events', ...grown.map(({ events }) => events.toLocaleString('en')), 'exponent'],
    rows: names.map((name) => [name, ...grown.map(({ figures }) => figure(figures.get(name) ?? 0)), law(name)]),
  };
};

/** Measures logs of each size. `kept` is given the figures so far. */
const eachSize = async (
  sizes: readonly number[],
  measure: (events: number, said: Said) => Promise<void>,
  signal: AbortSignal,
  kept: (grown: readonly Grown[]) => void = () => undefined,
): Promise<Table> => {
  const grown: Grown[] = [];
  for (const size of sizes) {
    signal.throwIfAborted();
    const figures = new Map<string, number>();
    const begun = performance.now();
    await measure(size, (name, value) => {
      figures.set(name, value);
      console.log(`${size}: ${name}: ${figure(value)} (${Math.round((performance.now() - begun) / 1_000)} s)`);
    });
    grown.push({ events: size, figures });
    kept(grown);
  }
  return growthTable(grown);
};

/** Copies of logs of each size, and how what they take grows. */
export const copiesOf = (sizes: readonly number[], signal: AbortSignal): Promise<Table> => eachSize(sizes, copy, signal);

/** Makes a log of each size, and prints what a server needs for it. */
export const runGrowth = async ({ events, json, write }: GrowthOptions, signal: AbortSignal): Promise<boolean> => {
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}. Embedded stores; chain, audit index and history on; ${YEARS} years.\n`);
  const table = await eachSize(events, grow, signal, (grown) => {
    if (json) writeFileSync(json, asJson({ ...measurement, grown }));
  });
  console.log(`\n${asText(table)}`);
  if (write) console.log(`\nwritten to ${writeFigures('growth', { ...measurement, tables: { logs: table } })}`);
  return true;
};
