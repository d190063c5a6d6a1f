import type { Command } from 'commander';
import type { MigrationPlan } from './table.js';

/** A plan before its modules are loaded: the part needed by the command line. */
export type PlanEntry = Readonly<{
  service: MigrationPlan['service'];
  /** Data that is taken over. */
  description: string;
  /** Declares options of its own. */
  configure?(command: Command): void;
  load(): Promise<MigrationPlan>;
}>;

/** One entry per service that can be taken over. Modules are loaded on demand. */
export const plans: readonly PlanEntry[] = [
  {
    service: 'accounting',
    description: 'projects, providers, installations, definitions, capacities, metrics, clients and entitlements',
    configure: (command) => {
      command.option('--database <name>', 'database whose files are taken, if the directory holds those of several');
    },
    load: async () => (await import('./accounting/plan.js')).accountingPlan,
  },
  {
    service: 'messaging',
    description: 'projects, users with their tokens, registrations, topics, subscriptions, ACLs, schemas, counts',
    configure: (command) => {
      command
        .option('--database <name>', 'database whose files are taken, if the directory holds those of several')
        .option('--topic-offsets <file>', 'first and next offset of each topic in Kafka, one line of JSON each: topics continue there')
        .option('--drop-waiting', 'subscriptions continue at the end of their topics, even if messages wait for them')
        .option('--push-worker <name>', 'user of the push server: it is left out, because Logbook pushes by itself');
    },
    load: async () => (await import('./messaging/plan.js')).messagingPlan,
  },
  {
    service: 'status',
    description:
      'administrators, tenants with their users and keys, profiles with all days, topology, downtimes, reports, recomputations, feeds',
    configure: (command) => {
      command
        .option('--core <name>', 'name of the core database, if several look like it')
        .option('--base-day <day>', 'day of profiles from before 2020, which have none; default: they are left out')
        .option('--every-day', 'writes the topology of every day, even if it equals that of the previous day')
        .option('--points', 'takes computed statuses of metrics (status_metrics) as metric data');
    },
    load: async () => (await import('./status/plan.js')).statusPlan,
  },
];
