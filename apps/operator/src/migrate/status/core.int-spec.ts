import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#domain/shared/events.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { writeCollection } from '#test/support/migration/exports.js';
import { Migration } from '../migration.js';
import { MigrationProgress } from '../progress.js';
import { exportedFiles } from '../read/exported-files.js';
import { MigrationReport } from '../report.js';
import { takeRow } from '../table.js';
import { compare } from '../verification.js';
import { LogWriter } from '../write/log-writer.js';
import { dryTarget, type MigratedEvent, type MigrationTarget } from '../write/target.js';
import { coreRows } from './core.js';
import { reportRows } from './reports.js';
import { Findings, type StatusMigration, type StatusQueries, type TenantRow } from './row.js';
import { topologyRows } from './topology.js';

/** A row of either kind, as tests have one scope for both. */
type Row = TenantRow;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logbook-core-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TENANT = { tenantId: 'aaaaaaaa-0000-4000-8000-000000000001', name: 'T', database: 'argo_T' };
const [created, updated] = ['2025-01-01 10:00:00', '2025-01-01 10:00:00'];
const DOCUMENT = { _id: 'a', id: TENANT.tenantId, info: { name: TENANT.name, created, updated }, db_conf: [{ database: TENANT.database }] };
const LONG = 'x'.repeat(70_000);

/** A run that takes a collection of a database, by default of `argo_core`, into a target, by default that of a dry run. */
const migrated = async (
  collection: string,
  documents: readonly object[],
  {
    rows = coreRows,
    scope = { database: 'argo_core' },
    target = dryTarget(),
  }: Readonly<{ rows?: readonly Row[]; scope?: object; target?: MigrationTarget }> = {},
): Promise<StatusMigration> => {
  const { database = '' } = scope as Partial<typeof TENANT>;
  await writeCollection(join(folder, database), collection, documents, 'relaxed');
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
  for (const row of rows.filter((one) => one.collection === collection)) await takeRow(migration, row, scope as typeof TENANT);
  return migration;
};

/** Compares the taken documents of a collection with the answers of queries. */
const verified = async (migration: StatusMigration, row: Row | undefined, queries: object = {}): Promise<unknown> => {
  const [file] = migration.files;
  const context = { migration, queries: queries as StatusQueries, scope: TENANT };
  if (file && row?.compared) await compare(migration, file, row.compared, context);
  return migration.report.verified.get(row?.collection ?? '');
};
const rowOf = (collection: string): Row | undefined => coreRows.find((one) => one.collection === collection);
const NONE = { compared: 0, different: 0, missing: 0 };

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

  it('whose readiness is too large keeps its engine status, and is not compared with the readiness', async () => {
    const types: string[] = [];
    const append: MigrationTarget['append'] = async (_, events) => BigInt(types.push(...events.map(({ event }) => event.type)));
    const document = { ...DOCUMENT, ready: { last_check: LONG }, status: { last_check: 'now' } };
    const migration = await migrated('tenants', [document], { target: { ...dryTarget(), append } });
    expect(types).toEqual(['TenantRegistered', 'TenantEngineStatusReported']);
    const { tenantId: id, name } = TENANT;
    const info = { name, email: '', description: '', image: '', website: '', created, updated };
    const [database] = [{ store: '', server: '', port: 0, database: TENANT.database, username: '', password: '' }];
    const tenant = async () => ({ id, info, db_conf: [database], topology: { type: '', feed: '' }, node: undefined, users: [] });
    const queries = { tenants: { tenant, readiness: async () => undefined } };
    expect(await verified(migration, rowOf('tenants'), queries)).toEqual({ ...NONE, compared: 1 });
  });
});

describe('a document that an earlier run dated at its start', () => {
  const START_OF_RUN = '2025-06-01T00:00:00.000Z';
  const later = { ...DOCUMENT, info: { ...DOCUMENT.info, updated: '2025-07-01 10:00:00' } };

  /** Reads and verifies the document again; the first run wrote it. */
  const again = async (document: object, shownName = TENANT.name) => {
    const first: MigratedEvent[] = [];
    const append: MigrationTarget['append'] = async (_, events) => BigInt(first.push(...events));
    await migrated('tenants', [later], { target: { ...dryTarget(), append } });
    const time = (of: string) => (of < START_OF_RUN ? of : START_OF_RUN);
    const stored = first.map(({ id, event, metadata }, index) => ({
      ...{ id, type: event.type, data: event.data as JsonObject, revision: BigInt(index) },
      metadata: { ...metadata, time: time(metadata.time), schemaVersion: 1 },
    }));
    const read: MigrationTarget['read'] = async (_, from) => stored.slice(Number(from));
    const migration = await migrated('tenants', [document], { target: { ...dryTarget(), read } });
    const compared = rowOf('tenants')?.compared;
    const shown = compared?.expected({ fields: later as never, place: {} as never, origin: {} as never }, { migration } as never) as {
      info: object;
    };
    const info = { ...shown.info, name: shownName, updated: '2025-06-01 00:00:00' };
    const tenant = async () => ({ ...shown, info });
    const queries = { tenants: { tenant, readiness: async () => undefined } };
    return [migration.report.of('tenants'), await verified(migration, rowOf('tenants'), queries)];
  };

  it('is there already, and not different', async () =>
    expect(await again(later)).toEqual([expect.objectContaining({ present: 1, changed: 1 }), { ...NONE, compared: 1 }]));

  it('is different if it has changed since', async () => {
    const changed = { ...later, info: { ...later.info, email: 'new@example.org', updated: '2025-08-01 10:00:00' } };
    expect(await again(changed)).toEqual([expect.objectContaining({ present: 1 }), { ...NONE, compared: 1, different: 1 }]);
  });
});

it('A metric list that the rules forbid is refused, and the migration goes on', async () => {
  const migration = await migrated(
    'monitoring_metrics',
    Array.from({ length: 70 }, (_, index) => ({ name: `m${index}`, tags: [LONG] })),
  );
  expect(migration.report.of('monitoring_metrics')).toMatchObject({ read: 70, taken: 0, refused: 70 });
  expect(await verified(migration, rowOf('monitoring_metrics'))).toEqual(NONE);
});

it('A topology list that the rules forbid is refused with the same lists after it, and none of their items is missing', async () => {
  const row = topologyRows.find(({ collection }) => collection === 'topology_groups');
  const items = [20_250_501, 20_250_502].flatMap((date_integer) =>
    ['a', LONG].map((subgroup) => ({ date_integer, group: 'EU', type: 'PROJECT', subgroup })),
  );
  const migration = await migrated('topology_groups', items, { rows: topologyRows, scope: TENANT });
  expect(migration.report.of('topology_groups')).toMatchObject({ read: 4, taken: 0, refused: 4 });
  expect(await verified(migration, row)).toEqual(NONE);
  expect(await row?.counted?.({ migration, queries: {} as StatusQueries, scope: TENANT })).toBeUndefined();
});

it('A marked report that is not there any more is no report of a node, and the migration goes on', async () => {
  const migration = await migrated('tenants', [DOCUMENT]);
  const place = { collection: 'reports', id: 'r', place: 'reports.json:1' };
  migration.found.reports.set(TENANT.tenantId, { updated: new Map([['r', '2025-01-01T00:00:00.000Z']]), marked: [{ id: 'r', place }] });
  for (const row of reportRows.filter(({ collection }) => collection === 'node_report')) await takeRow(migration, row, TENANT);
  expect([migration.found.nodeReports.size, migration.report.of('reports').changed]).toEqual([0, 1]);
});
