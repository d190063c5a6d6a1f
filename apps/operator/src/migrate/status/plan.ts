import { CommandFailed } from '#operator/command-failed.js';
import { type ExportedFile, noFilesOf } from '../read/exported-files.js';
import { type MigrationPlan, readingsOf } from '../table.js';
import { coreRows } from './core.js';
import { baseDayOf, datedRows } from './dated-records.js';
import { downtimeRow } from './downtimes.js';
import { feedRows } from './feeds.js';
import { pointRow } from './points.js';
import { recomputationRow } from './recomputations.js';
import { reportRows } from './reports.js';
import { Findings, queriesOf, type StatusMigration, type StatusOptions, type StatusQueries } from './row.js';
import { topologyRows } from './topology.js';

const tenantRows = [...datedRows, ...topologyRows, downtimeRow, ...reportRows, recomputationRow, pointRow];

const CORE = coreRows.map(({ collection }) => collection);
const OF_TENANTS = [...tenantRows, ...feedRows].map(({ collection }) => collection);

const NOT_TAKEN: Readonly<Record<string, string>> = {
  roles: 'roles is not taken: which role may call what is fixed in Logbook',
  consistency: 'consistency is not taken: the next check writes it',
};

/** Collections computed by the engine of the original: Logbook computes them from metric data. */
const COMPUTED =
  /^(?:(?:endpoint|service|endpoint_group)_ar|status_(?:metrics|endpoints|services|endpoint_groups)|(?:flipflop|status)_trends_\w+)$/;

/** Name of the core database. @throws CommandFailed there is none, or several and the operator names none */
const coreDatabase = (files: readonly ExportedFile[], { core: wanted }: StatusOptions): string => {
  const found = new Set(files.filter(({ collection }) => CORE.includes(collection)).map(({ database }) => database));
  if (wanted !== undefined) {
    if (!found.has(wanted)) throw new CommandFailed(`there are no files of a core database ${wanted}`);
    return wanted;
  }
  const [first, ...others] = found;
  if (first === undefined) throw noFilesOf(CORE);
  if (others.length > 0)
    throw new CommandFailed(`the databases ${[...found].join(', ')} all look like the core: say which one is with --core`);
  return first;
};

/** Skips files of databases without a tenant. */
const passOverOthers = (migration: StatusMigration, core: string): void => {
  const { files, report, options, found } = migration;
  const databases = new Set([core, ...found.tenants.flatMap(({ database }) => database ?? [])]);
  const others = files.filter(({ database }) => !databases.has(database));
  for (const file of others) migration.passOver(file, file.bytes * readingsOf(statusPlan, file, options));
  for (const database of new Set(others.map((file) => file.database)))
    report.note(`the files of the database ${database} belong to no tenant that was taken: they are not taken`);
};

/** Reports collections in the directory that are not taken over. */
const noteUntakenOnes = ({ files, report, options, found }: StatusMigration): void => {
  for (const collection of new Set(files.map((file) => file.collection))) {
    if (NOT_TAKEN[collection] !== undefined) report.note(NOT_TAKEN[collection]);
    if (COMPUTED.test(collection) && !(collection === pointRow.collection && options.points))
      report.note(`${collection} is not taken: Logbook computes it from metric data`);
  }
  for (const { name, database } of found.tenants)
    if (database !== undefined && !files.some((file) => file.database === database))
      report.note(`there are no files of ${database}, the database of ${name}`);
};

/** Reports collections in the wrong database. */
const noteMisplaced = ({ files, report, found }: StatusMigration, core: string): void => {
  const ofTenants = new Set(found.tenants.map(({ database }) => database));
  for (const { database, collection } of files) {
    const name = database === '' ? collection : `${database}.${collection}`;
    if (OF_TENANTS.includes(collection) && database === core && !ofTenants.has(core))
      report.note(`${name} is not taken: it belongs in the database of a tenant, not in the core`);
    if (CORE.includes(collection) && database !== core && ofTenants.has(database))
      report.note(`${name} is not taken: it belongs in the core, not in the database of a tenant`);
  }
};

const noteOthers = (migration: StatusMigration): void => {
  const core = coreDatabase(migration.files, migration.options);
  passOverOthers(migration, core);
  noteUntakenOnes(migration);
  noteMisplaced(migration, core);
};

const tenants = ({ found }: StatusMigration) => found.tenants;

export const statusPlan: MigrationPlan<StatusOptions, Findings, StatusQueries> = {
  service: 'status',
  select: (files, options) => {
    coreDatabase(files, options);
    return files;
  },
  findings: () => new Findings(),
  queries: queriesOf,
  parts: [
    {
      begin: (migration) => void baseDayOf(migration),
      scopes: ({ files, options }) => [{ database: coreDatabase(files, options) }],
      rows: coreRows,
    },
    { begin: noteOthers, scopes: tenants, rows: tenantRows },
    { scopes: tenants, rows: feedRows },
  ],
};
