import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { JsonObject } from '#domain/shared/events.js';
import { streamOfHost } from '#domain/status/metric-data/earlier-releases.js';
import { type MetricResultsRecorded, streamOfMetricData } from '#domain/status/metric-data/metric-data.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { writeCollection } from '#test/support/migration/exports.js';
import { Migration } from '../migration.js';
import { MigrationProgress } from '../progress.js';
import { exportedFiles } from '../read/exported-files.js';
import { MigrationReport } from '../report.js';
import { takeRow } from '../table.js';
import { derivedId } from '../write/event-ids.js';
import { LogWriter } from '../write/log-writer.js';
import type { MigrationTarget } from '../write/target.js';
import { pointRow } from './points.js';
import { Findings } from './row.js';

type Stored = Awaited<ReturnType<MigrationTarget['read']>>[number];

const TENANT = { tenantId: 't', name: 'T', database: 'argo_T' };
let folder: string;
let streams: Map<string, Stored[]>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logbook-points-'));
  streams = new Map();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const metadata = { time: '2025-05-03T10:00:00.000Z' } as Stored['metadata'];
const store = (stream: string, ...events: readonly Omit<Stored, 'revision' | 'metadata'>[]): void => {
  const known = streams.get(stream) ?? [];
  for (const event of events) known.push({ ...event, metadata, revision: BigInt(known.length) });
  streams.set(stream, known);
};

/** A log in memory. */
const target: MigrationTarget = {
  begun: 0n,
  read: async (stream, from, limit) => (streams.get(stream) ?? []).slice(Number(from), Number(from) + limit),
  append: async (stream, events) => {
    store(stream, ...events.map(({ id, event }) => ({ id, type: event.type, data: event.data as JsonObject })));
    return 1n;
  },
  skip: async () => {},
  setRetention: async () => {},
  hashOf: String,
  keyed: String,
};

/** 40 points of each of three hosts. */
const points = ['h1', 'h2', 'h3'].flatMap((host) =>
  Array.from({ length: 40 }, (_, minute) => ({
    ...{
      _id: `${host}-${minute}`,
      report: 'r',
      endpoint_group: 'S',
      service: 'web',
      host,
      metric: 'm',
      status: 'OK',
      summary: `${minute}`,
    },
    timestamp: `2025-05-03T10:${String(minute).padStart(2, '0')}:00Z`,
  })),
);

const migrate = async (): Promise<Readonly<{ taken: number; present: number }>> => {
  const database = join(folder, 'argo_T');
  await writeCollection(database, 'status_metrics', points, 'relaxed');
  const writer = new LogWriter(target, 'status', false);
  const report = new MigrationReport({ service: 'status', directory: folder, dryRun: false }, undefined);
  const [configuration, progress] = [
    loadConfiguration({ LOGBOOK_DATA_DIR: folder }),
    new MigrationProgress({ isTTY: false, write: () => true }),
  ];
  const files = await exportedFiles(folder);
  await takeRow(
    new Migration({
      files,
      options: { points: true },
      found: new Findings(),
      configuration,
      target,
      writer,
      report,
      dryRun: false,
      progress,
    }),
    pointRow,
    TENANT,
  );
  const { taken, present } = report.of('status_metrics');
  return { taken, present };
};

const minutesIn = (stream: string): readonly string[] =>
  (streams.get(stream) ?? []).flatMap(({ data }) =>
    (data as MetricResultsRecorded['data']).results.map(({ host, timestamp }) => `${host} ${Number(timestamp.slice(14, 16))}`),
  );

const ALL = points.map(({ host, summary }) => `${host} ${summary}`);

it('Points of all hosts share events, and a second run finds them', async () => {
  expect(await migrate()).toEqual({ taken: 120, present: 0 });
  expect(streams.get(streamOfMetricData('t'))).toHaveLength(1);
  expect(minutesIn(streamOfMetricData('t'))).toEqual(ALL);
  expect(await migrate()).toEqual({ taken: 0, present: 120 });
  expect([streams.size, minutesIn(streamOfMetricData('t'))]).toEqual([1, ALL]);
});

it('A migration that release 1.0.0 began is continued: its parts, in streams of hosts, are found', async () => {
  for (const [host, part] of [
    ['h1', 0],
    ['h1', 32],
    ['h2', 0],
  ] as const) {
    const stream = streamOfHost('t', host);
    store(stream, {
      id: derivedId('status', 'status_metrics', `${host}-${part}`, stream, 0),
      type: 'MetricResultsRecorded',
      data: { results: [] },
    });
  }
  expect(await migrate()).toEqual({ taken: 48, present: 72 });
  expect(minutesIn(streamOfMetricData('t'))).toEqual(ALL.slice(72));
  expect(await migrate()).toEqual({ taken: 0, present: 120 });
  expect(minutesIn(streamOfMetricData('t'))).toEqual(ALL.slice(72));
});
