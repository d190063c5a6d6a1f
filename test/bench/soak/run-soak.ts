import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATED_RECORDS } from '#projections/status/dated-records/documents.js';
import { install } from '#test/bench/installation.js';
import { MIXED, mixedRequests, openMixedWorld } from '#test/bench/mixed-world.js';
import { job, rssAnonBytes } from '#test/bench/operating.js';
import { PacedLoad } from '#test/bench/paced-load.js';
import { asJson, thisMachine, whereMeasured } from '#test/bench/profile/circumstances.js';
import { asText } from '#test/bench/profile/tables.js';
import type { LogbookServer } from '#test/bench/servers/logbook-server.js';
import { storeSizes } from '#test/bench/store-sizes.js';
import { Cleanup } from '#test/support/cleanup.js';
import { findings, type SoakSample, soakTable } from './verdict.js';

export type SoakOptions = Readonly<{ minutes: number; json?: string | undefined }>;

/** Of the measured maximum. */
const SHARE = 0.7;
/** Messages that are kept for long would make every file grow all the time. */
const RETENTION = '60s';
const INTERVALS = { most: 60, least: 15, count: 30 } as const;
/** Parts of the soak at which something else begins. */
const [REBUILD_AT, BACKUP_AT] = [0.4, 0.55];

type Soaked = Readonly<{ server: LogbookServer; directory: string; minutes: number; signal: AbortSignal }>;

/** The work besides the load, each piece once. */
class SideWork {
  readonly failures: string[] = [];
  private readonly running = new Map<string, Promise<void>>();
  private readonly names = new Set<string>();

  /** Begins a piece of work unless it was begun before. */
  begin(name: string, work: () => Promise<void>): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    const noted = work()
      .catch((error) => void this.failures.push(`${name}: ${error}`))
      .finally(() => this.running.delete(name));
    this.running.set(name, noted);
  }

  /** What is under way. */
  shown(): string {
    return [...this.running.keys()].join(', ');
  }

  async ended(): Promise<void> {
    await Promise.all(this.running.values());
  }
}

const maximum = async (url: string, requestsOf: ConstructorParameters<typeof PacedLoad>[1], seconds: number): Promise<number> => {
  const load = new PacedLoad(url, requestsOf);
  await sleep(seconds * 1_000);
  load.take(); // warmed up
  await sleep(seconds * 1_000);
  const { calls, seconds: took } = load.take();
  await load.stop();
  return calls / took;
};

/** Samples the load interval by interval, rebuilds a read model and backs up on the way. */
const watch = async (load: PacedLoad, { server, directory, minutes, signal }: Soaked, shown: (samples: readonly SoakSample[]) => void) => {
  const interval = Math.min(INTERVALS.most, Math.max(INTERVALS.least, (minutes * 60) / INTERVALS.count)) * 1_000;
  const [samples, failures]: [SoakSample[], string[]] = [[], []];
  const work = new SideWork();
  const started = performance.now();
  const length = minutes * 60_000;
  for (let elapsed = 0; elapsed < length - interval / 2 && !signal.aborted; ) {
    if (elapsed >= length * REBUILD_AT) work.begin('rebuild', () => job(server, `/ops/projections/${DATED_RECORDS}/rebuild`));
    if (elapsed >= length * BACKUP_AT) work.begin('backup', () => job(server, '/ops/backups', { directory: 'soak' }));
    const during = work.shown();
    const { turns } = await server.turns(() => sleep(interval, undefined, { signal }).catch(() => {}));
    const figures = load.take();
    elapsed = performance.now() - started;
    const sample: SoakSample = {
      minute: elapsed / 60_000,
      perSecond: figures.calls / figures.seconds,
      p50Ms: figures.latencies.percentile(50) / 1_000,
      p99Ms: figures.latencies.percentile(99) / 1_000,
      late: figures.late,
      rssAnonBytes: rssAnonBytes(server),
      longestTurnMs: turns.millis.reduce((most, took) => Math.max(most, took), 0),
      stores: storeSizes(directory),
      during,
    };
    samples.push(sample);
    failures.push(...figures.failures);
    shown(samples);
  }
  await work.ended();
  return { samples, failures: [...failures, ...work.failures] };
};

const prepare = async (cleanup: Cleanup) => {
  const backups = mkdtempSync(join(tmpdir(), 'logbook-bench-backups-'));
  cleanup.defer(() => rmSync(backups, { recursive: true, force: true }));
  const environment = { LOGBOOK_MESSAGING_RETENTION: RETENTION, LOGBOOK_BACKUP_DIR: backups };
  const effort = { warmUps: 0, rounds: 0, sliceSeconds: 0, manyEvents: 0 }; // nothing here goes by rounds
  const installation = await install({ effort, cleanup, environment }, 'embedded');
  return { ...(await openMixedWorld(installation)), directory: installation.directory };
};

/** Prints a line for each interval, then what was found. Resolves with whether all of it is as it must be. */
export const runSoak = async ({ minutes, json }: SoakOptions, signal: AbortSignal): Promise<boolean> => {
  const measurement = thisMachine();
  console.log(`${whereMeasured(measurement)}. Embedded stores; messages are kept for ${RETENTION}. Files: what they hold / their size.\n`);
  const cleanup = new Cleanup();
  try {
    const { server, world, directory } = await prepare(cleanup);
    const requestsOf = (connection: number) => mixedRequests(world, MIXED, connection);
    const most = await maximum(server.url, requestsOf, Math.min(20, minutes * 3));
    console.log(`${Math.round(most)} calls/s at most; ${Math.round(most * SHARE)} from now on, for ${minutes} minutes\n`);
    const load = new PacedLoad(server.url, requestsOf, { perSecond: most * SHARE });
    const shown = (samples: readonly SoakSample[]) => {
      const lines = asText(soakTable(samples)).split('\n');
      console.log(lines.slice(samples.length === 1 ? 0 : -1).join('\n'));
    };
    const { samples, failures } = await watch(load, { server, directory, minutes, signal }, shown);
    await load.stop();
    if (signal.aborted) return false;
    const found = findings(samples, failures);
    console.log(`\n${asText(soakTable(samples))}\n`);
    for (const { what, seen, holds } of found) console.log(`${holds ? 'pass' : 'FAIL'}  ${what}: ${seen}`);
    if (json) writeFileSync(json, asJson({ ...measurement, most, samples, found }));
    return found.every(({ holds }) => holds);
  } finally {
    await cleanup.run();
  }
};
