import { CommandFailed } from '#operator/command-failed.js';
import { filesOfDatabase } from '../read/exported-files.js';
import { type MigrationPlan, noteUntaken, onlyDatabase } from '../table.js';
import { accessRows } from './access.js';
import { catalogueRows } from './catalogue.js';
import { definitionRows } from './definitions.js';
import { metricRows } from './metrics.js';
import { type AccountingMigration, type AccountingOptions, type AccountingQueries, findings, queriesOf } from './row.js';

const NO_COUNTERPART = 'access rules from before 1.8 have no counterpart; grant entitlements instead';
/** Hints for operators, by collection. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  HierarchicalRelation:
    'HierarchicalRelation is not taken: whether something has metrics is counted from the metrics, so some deletions may become possible',
  Client: `Client is not taken: ${NO_COUNTERPART}`,
  Role: `Role is not taken: ${NO_COUNTERPART}`,
};

/** @throws CommandFailed the export is of a release from before 2022-10 */
const requireShape = async (migration: AccountingMigration): Promise<void> => {
  const file = migration.files.find(({ collection }) => collection === 'Installation');
  if (!file) return;
  for await (const _document of migration.read(file))
    throw new CommandFailed(
      'the collection Installation has documents: the export is of a release from before October 2022; update the original first',
    );
};

const rows = [...definitionRows, ...catalogueRows, ...metricRows, ...accessRows];
const COLLECTIONS = rows.map(({ collection }) => collection);

export const accountingPlan: MigrationPlan<AccountingOptions, ReturnType<typeof findings>, AccountingQueries> = {
  service: 'accounting',
  select: (files, { database }) => filesOfDatabase(files, COLLECTIONS, database),
  findings,
  queries: queriesOf,
  parts: [
    {
      begin: async (migration) => {
        await requireShape(migration);
        noteUntaken(migration, NOT_TAKEN);
      },
      scopes: onlyDatabase,
      rows,
    },
  ],
};
