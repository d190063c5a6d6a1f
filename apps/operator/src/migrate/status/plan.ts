import type { Plan } from '../plan.js';
import { takeAdministrators, takeMetricList, takeTenants } from './core.js';
import { coreDatabase, isComputed, NOT_TAKEN } from './databases.js';
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

/** Collections that are read twice: once for what their documents have in common. */
const TWICE = /^(?:topology_\w+|\w+_profiles|weights|downtimes)$/;

/** What is in the directory and is not taken over. */
const noteUntaken = ({ files, report, options }: StatusMigration, core: string, { tenants }: Findings): void => {
  const databases = new Set([core, ...tenants.flatMap(({ database }) => database ?? [])]);
  for (const database of new Set(files.map((file) => file.database)))
    if (!databases.has(database))
      report.note(`the files of the database ${database} belong to no tenant that was taken: they are not taken`);
  for (const collection of new Set(files.map((file) => file.collection))) {
    const note = NOT_TAKEN[collection];
    if (note !== undefined) report.note(note);
    if (isComputed(collection) && !(collection === 'status_metrics' && options.points))
      report.note(`${collection} is not taken: Logbook computes it from metric data`);
  }
  for (const { name, database } of tenants)
    if (database !== undefined && !files.some((file) => file.database === database))
      report.note(`there are no files of ${database}, the database of ${name}`);
};

/** One run: what it has found is known to its verification. */
export const statusPlan = (): Plan<StatusOptions> => {
  const findings = new Findings();
  return {
    service: 'status',
    select: (files, { core }) => {
      coreDatabase(files, core);
      return files;
    },
    readings: ({ collection }) => (TWICE.test(collection) ? 2 : isComputed(collection) ? 0 : 1),
    run: async (migration) => {
      const core = coreDatabase(migration.files, migration.options.core);
      baseDayOf(migration);
      await takeAdministrators(migration, core);
      await takeTenants(migration, core, findings);
      await takeMetricList(migration, core);
      noteUntaken(migration, core, findings);
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
