import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { writeCollection } from '#test/support/migration/exports.js';
import { Migration } from '../migration.js';
import { MigrationProgress } from '../progress.js';
import { exportedFiles } from '../read/exported-files.js';
import { MigrationReport } from '../report.js';
import { takeRow } from '../table.js';
import { LogWriter } from '../write/log-writer.js';
import { dryTarget } from '../write/target.js';
import { catalogueRows } from './catalogue.js';
import { accountingPlan } from './plan.js';

const project = (number: number, installations: number) => ({
  _id: `p${number}`,
  acronym: `P${number}`,
  providers: [
    {
      _id: 'provider',
      name: 'Provider',
      external_id: 'provider',
      installations: Array.from({ length: installations }, (_, index) => ({
        _id: `${number}${String(index).padStart(23, '0')}`,
        installation: `node-${index}`,
        external_id: `${number}-${index}`,
      })),
    },
  ],
});

it('writes a project before its contents, also if it has many installations or the log has an outage', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logbook-catalogue-'));
  await writeCollection(join(folder, 'accounting'), 'Project', [project(1, 600), project(2, 100)], 'relaxed');
  const appended: (readonly [string, string])[] = [];
  const target = {
    ...dryTarget(),
    append: async (stream: string, events: readonly Readonly<{ event: Readonly<{ type: string }> }>[]) => {
      if (stream === CATALOGUE_STREAM) for (let turns = 0; turns < 10; turns++) await turn(); // as if it were repeated
      for (const { event } of events) appended.push([stream, event.type]);
      return 1n;
    },
  };
  const migration = new Migration({
    files: await exportedFiles(folder),
    options: {},
    found: accountingPlan.findings(),
    configuration: loadConfiguration({ LOGBOOK_DATA_DIR: folder }),
    target,
    writer: new LogWriter(target, 'accounting', false),
    report: new MigrationReport({ service: 'accounting', directory: folder, dryRun: false }, undefined),
    dryRun: false,
    progress: new MigrationProgress({ isTTY: false, write: () => true }),
  });
  for (const row of catalogueRows.filter(({ collection }) => collection === 'Project'))
    await takeRow(migration, row, { database: 'accounting' });
  rmSync(folder, { recursive: true });
  const firstOf = (stream: string, type: string) => appended.findIndex((one) => one[0] === stream && one[1] === type);
  const lastRegistered = appended.findLastIndex(([, type]) => type === 'ProjectRegistered');
  const ofProjects = ['p1', 'p2'].map((id) => appended.filter(([stream]) => stream === projectStream(id)).length);
  expect(ofProjects).toEqual([601, 101]);
  expect(firstOf(CATALOGUE_STREAM, 'ProjectRegistered')).toBeLessThan(firstOf(projectStream('p1'), 'ProviderAssociated'));
  expect(lastRegistered).toBeLessThan(firstOf(projectStream('p2'), 'ProviderAssociated'));
});
