import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { writeCollection } from '#test/support/migration/exports.js';
import { Migration } from '../migration.js';
import { MigrationProgress } from '../progress.js';
import { exportedFiles } from '../read/exported-files.js';
import { MigrationReport } from '../report.js';
import { takeRow } from '../table.js';
import { LogWriter } from '../write/log-writer.js';
import { dryTarget } from '../write/target.js';
import { coreRows } from './core.js';
import { reportRows } from './reports.js';
import { Findings, type StatusMigration } from './row.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logbook-core-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TENANT = { tenantId: 'aaaaaaaa-0000-4000-8000-000000000001', name: 'T', database: 'argo_T' };
const [created, updated] = ['2025-01-01 10:00:00', '2025-01-01 10:00:00'];
const DOCUMENT = { _id: 'a', id: TENANT.tenantId, info: { name: TENANT.name, created, updated }, db_conf: [{ database: TENANT.database }] };
const LONG = 'x'.repeat(70_000);

/** A dry run of a collection of the database `argo_core`. */
const migrated = async (collection: string, documents: readonly object[]): Promise<StatusMigration> => {
  await writeCollection(join(folder, 'argo_core'), collection, documents, 'relaxed');
  const target = dryTarget();
  const migration: StatusMigration = new Migration({
    files: await exportedFiles(folder),
    options: {},
    found: new Findings(),
    configuration: loadConfiguration({ LOGBOOK_DATA_DIR: folder }),
    target,
    writer: new LogWriter(target, 'status', true),
    report: new MigrationReport({ service: 'status', directory: folder, dryRun: true }, undefined),
    dryRun: true,
    progress: new MigrationProgress({ isTTY: false, write: () => true }),
  });
  for (const row of coreRows.filter((one) => one.collection === collection)) await takeRow(migration, row, { database: 'argo_core' });
  return migration;
};

describe('a tenant', () => {
  it.each([
    ['whose readiness is too large', { ready: { last_check: LONG } }],
    ['whose readiness has another form', { ready: true }],
    ['whose engine status is too large', { status: { last_check: LONG.repeat(4) } }],
    ['whose engine status has another form', { status: { ams: 'yes' } }],
  ])('%s is taken without it, and with its data', async (_name, part) => {
    const { found, report } = await migrated('tenants', [{ ...DOCUMENT, ...part }]);
    expect(found.tenants).toEqual([TENANT]);
    expect(report.of('tenants')).toMatchObject({ taken: 1, refused: 0, changed: 1 });
    expect(report.problem).toBe('documents refused, whole or in part: 1');
  });
});

it('A metric list that the rules forbid is refused, and the migration goes on', async () => {
  const { report } = await migrated(
    'monitoring_metrics',
    Array.from({ length: 70 }, (_, index) => ({ name: `m${index}`, tags: [LONG] })),
  );
  expect(report.of('monitoring_metrics')).toMatchObject({ read: 70, taken: 0, refused: 70 });
});

it('A marked report that is not there any more is no report of a node, and the migration goes on', async () => {
  const migration = await migrated('tenants', [DOCUMENT]);
  const place = { collection: 'reports', id: 'r', place: 'reports.json:1' };
  migration.found.reports.set(TENANT.tenantId, { updated: new Map([['r', '2025-01-01T00:00:00.000Z']]), marked: [{ id: 'r', place }] });
  for (const row of reportRows.filter(({ collection }) => collection === 'node_report')) await takeRow(migration, row, TENANT);
  expect([migration.found.nodeReports.size, migration.report.of('reports').changed]).toEqual([0, 1]);
});
