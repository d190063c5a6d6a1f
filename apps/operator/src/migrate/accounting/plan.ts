import { CommandFailed } from '#operator/command-failed.js';
import type { Migration } from '../migration.js';
import type { MigrationPlan } from '../plan.js';
import { filesOfDatabase } from '../read/exported-files.js';
import { takeAccess } from './access.js';
import { takeCatalogue } from './catalogue.js';
import { takeDefinitions } from './definitions.js';
import { KnownInstallations } from './known-installations.js';
import { takeMetrics } from './metrics.js';
import { verifyAccounting } from './verify.js';

const TAKEN = [
  'UnitType',
  'MetricType',
  'MetricDefinition',
  'Resource',
  'Provider',
  'Project',
  'Capacity',
  'Metric',
  'OidcTenantConfig',
  'Setting',
  'Entitlement',
  'Actor',
  'ActorEntitlements',
];
/** Hints for operators, by collection. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  HierarchicalRelation:
    'HierarchicalRelation is not taken: whether something has metrics is counted from the metrics, so some deletions may become possible',
  Client: 'Client is not taken: access rules from before 1.8 have no counterpart; grant entitlements instead',
  Role: 'Role is not taken: access rules from before 1.8 have no counterpart; grant entitlements instead',
};

/** @throws CommandFailed the export is of a release from before 2022-10 */
const requireShape = async (migration: Migration): Promise<void> => {
  const file = migration.file('Installation');
  if (!file) return;
  for await (const _document of migration.read(file))
    throw new CommandFailed(
      'the collection Installation has documents: the export is of a release from before October 2022; update the original first',
    );
};

/** One run; its findings are available to its verification. */
export const accountingPlan = (): MigrationPlan<{ database?: string }> => {
  const installations = new KnownInstallations();
  return {
    service: 'accounting',
    select: (files, { database }) => filesOfDatabase(files, TAKEN, database),
    readings: ({ collection }) => (TAKEN.includes(collection) ? 1 : 0),
    uncompared: ['Resource', 'Setting', 'ActorEntitlements'],
    run: async (migration) => {
      await requireShape(migration);
      for (const { collection } of migration.files) {
        const note = NOT_TAKEN[collection];
        if (note !== undefined) migration.report.note(note);
      }
      await takeDefinitions(migration);
      await takeCatalogue(migration, installations);
      await takeMetrics(migration, installations);
      await takeAccess(migration);
    },
    verify: (verification) => verifyAccounting(verification, installations),
  };
};
