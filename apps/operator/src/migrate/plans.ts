import type { PlanEntry } from './plan.js';

/** One for each service that can be brought over. Their modules are loaded when they are needed. */
export const plans: readonly PlanEntry[] = [
  {
    service: 'accounting',
    description: 'projects, providers, installations, definitions, capacities, metrics, clients and entitlements',
    configure: (command) => {
      command.option('--database <name>', 'whose files are taken, where the directory holds those of several databases');
    },
    load: async () => (await import('./accounting/plan.js')).accountingPlan(),
  },
  {
    service: 'messaging',
    description: 'projects, users with their tokens, registrations, topics, subscriptions, ACLs, schemas, counts',
    configure: (command) => {
      command
        .option('--database <name>', 'whose files are taken, where the directory holds those of several databases')
        .option('--topic-offsets <file>', 'first and next offset of each topic in Kafka, a line of JSON each: where topics go on')
        .option('--drop-waiting', 'subscriptions go on at the end of their topics, also where messages wait for them')
        .option('--push-worker <name>', 'user of the push server: it is left out, and Logbook pushes itself');
    },
    load: async () => (await import('./messaging/plan.js')).messagingPlan(),
  },
  {
    service: 'status',
    description:
      'administrators, tenants with their users and keys, profiles with all days, topology, downtimes, reports, recomputations, feeds',
    configure: (command) => {
      command
        .option('--core <name>', 'name of the core database, where several look like it')
        .option('--base-day <day>', 'day of profiles from before 2020, which have none; default: they are left out')
        .option('--every-day', 'writes the topology of every day, also where it is that of the day before')
        .option('--points', 'takes the statuses of metrics that were computed (status_metrics) as metric data');
    },
    load: async () => (await import('./status/plan.js')).statusPlan(),
  },
];
