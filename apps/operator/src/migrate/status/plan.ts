import type { MigrationPlan } from '../plan.js';
import type { ExportedFile } from '../read/exported-files.js';
import { takeAdministrators, takeMetricList, takeTenants } from './core.js';
import { coreDatabase, isComputed, isOfCore, isOfTenant, NOT_TAKEN } from './databases.js';
import { baseDayOf, takeDatedRecords } from './dated-records.js';
import { takeDowntimes } from './downtimes.js';
import { takeFeeds } from './feeds.js';
import type { StatusMigration, StatusOptions } from './options.js';
import { takePoints } from './points.js';
import { takeRecomputations } from './recomputations.js';
import { takeReports } from './reports.js';
import { Findings } from './tenant-scope.js';
import { takeTopology } from './topology.js';
import { verifyStatus } from './verify.js';

/** Collections that are read twice: first to find relations between their documents. */
const TWICE = /^(?:topology_\w+|\w+_profiles|weights|downtimes)$/;

const isTaken = (collection: string, { points }: StatusOptions): boolean =>
  NOT_TAKEN[collection] === undefined && (!isComputed(collection) || (collection === 'status_metrics' && points === true));

const readings = ({ collection }: ExportedFile, options: StatusOptions): number => {
  if (TWICE.test(collection)) return 2;
  return isTaken(collection, options) ? 1 : 0;
};

/** Reports collections in the wrong database. */
const noteMisplaced = ({ files, report }: StatusMigration, core: string, { tenants }: Findings): void => {
  const ofTenants = new Set(tenants.map(({ database }) => database));
  for (const { database, collection } of files) {
    const name = database === '' ? collection : `${database}.${collection}`;
    if (isOfTenant(collection) && database === core && !ofTenants.has(core))
      report.note(`${name} is not taken: it belongs in the database of a tenant, not in the core`);
    if (isOfCore(collection) && database !== core && ofTenants.has(database))
      report.note(`${name} is not taken: it belongs in the core, not in the database of a tenant`);
  }
};

/** Skips files of databases without a tenant. */
const passOverOthers = (migration: StatusMigration, core: string, { tenants }: Findings): void => {
  const { files, report, options } = migration;
  const databases = new Set([core, ...tenants.flatMap(({ database }) => database ?? [])]);
  const others = files.filter(({ database }) => !databases.has(database));
  for (const file of others) migration.passOver(file, file.bytes * readings(file, options));
  for (const database of new Set(others.map((file) => file.database)))
    report.note(`the files of the database ${database} belong to no tenant that was taken: they are not taken`);
};

/** Reports collections in the directory that are not taken over. */
const noteUntaken = ({ files, report, options }: StatusMigration, { tenants }: Findings): void => {
  for (const collection of new Set(files.map((file) => file.collection))) {
    const note = NOT_TAKEN[collection];
    if (note !== undefined) report.note(note);
    if (note === undefined && !isTaken(collection, options) && isComputed(collection))
      report.note(`${collection} is not taken: Logbook computes it from metric data`);
  }
  for (const { name, database } of tenants)
    if (database !== undefined && !files.some((file) => file.database === database))
      report.note(`there are no files of ${database}, the database of ${name}`);
};

/** One run; its findings are available to its verification. */
export const statusPlan = (): MigrationPlan<StatusOptions> => {
  const findings = new Findings();
  return {
    service: 'status',
    select: (files, { core }) => {
      coreDatabase(files, core);
      return files;
    },
    readings,
    findings: () => undefined,
    uncompared: ['authentication', 'status_metrics'],
    run: async (migration) => {
      const core = coreDatabase(migration.files, migration.options.core);
      baseDayOf(migration);
      await takeAdministrators(migration, core);
      await takeTenants(migration, core, findings);
      await takeMetricList(migration, core);
      passOverOthers(migration, core, findings);
      noteUntaken(migration, findings);
      noteMisplaced(migration, core, findings);
      for (const tenant of findings.tenants) {
        await takeDatedRecords(migration, tenant, findings);
        await takeTopology(migration, tenant, findings);
        await takeDowntimes(migration, tenant, findings);
        await takeReports(migration, tenant, findings);
        await takeRecomputations(migration, tenant);
        if (migration.options.points) await takePoints(migration, tenant);
      }
      for (const tenant of findings.tenants) await takeFeeds(migration, tenant, findings);
    },
    verify: (verification) => verifyStatus(verification, findings),
  };
};
