/**
 * Suites that a plain `npm test` leaves to full runs (`LOGBOOK_TEST_RUNS=all`, as `.ci/run` sets it): together they take as much processor time as the
 * rest, for starting servers again and again. What they look at as a whole, others look at piece by piece in every run; an example is named. A run that
 * names paths leaves nothing out.
 */
export const leftToCi = [
  // Several nodes and clusters of stores: `messaging/journey` has two servers in every run, on both kinds of stores.
  'libs/infra/src/stores/read-store/redis/redis-cluster.int-spec.ts',
  'libs/infra/src/stores/read-store/redis/redis-sentinel.int-spec.ts',
  'test/deployment/rolling-upgrade.e2e-spec.ts',
  'test/deployment/waiting.e2e-spec.ts',
  'test/e2e/accounting/definitions/two-nodes.e2e-spec.ts',
  'test/e2e/messaging/deliveries/nodes.e2e-spec.ts',
  'test/e2e/messaging/push/push-takeover.e2e-spec.ts',
  'test/e2e/operations/api-threads.e2e-spec.ts',
  'test/e2e/operations/nodes.e2e-spec.ts',
  'test/e2e/operations/roles.e2e-spec.ts',
  'test/e2e/operations/shared-stores.e2e-spec.ts',
  'test/faults/faults.e2e-spec.ts',
  // Servers that are killed, and stores that are damaged, lost or restored: `embedded-processes` and `power-loss` kill writers in every run.
  'test/e2e/operations/accidents.e2e-spec.ts',
  'test/e2e/operations/copies/copies.e2e-spec.ts',
  'test/e2e/operations/damage.e2e-spec.ts',
  'test/e2e/operations/durability.e2e-spec.ts',
  'test/e2e/operations/lost-read-models.e2e-spec.ts',
  'test/e2e/operations/restored-log.e2e-spec.ts',
  // Programs as a whole: `start`, `ending` and `cli` run them in every run, and the mappings of a migration have specs.
  'test/deployment/image.e2e-spec.ts',
  'test/e2e/http/tls.e2e-spec.ts',
  'test/e2e/migrate/accounting.e2e-spec.ts',
  'test/e2e/migrate/status.e2e-spec.ts',
  'test/e2e/operations/terminal.e2e-spec.ts',
  'test/samples/pubsub.e2e-spec.ts',
  'test/samples/samples.e2e-spec.ts',
  // Every view of the console: `pages` tries the frequent ones in every run.
  'test/console/frame.e2e-spec.ts',
  'test/console/views.e2e-spec.ts',
  // Much at once: figures, limits and slices of time have specs.
  'test/e2e/messaging/messages/load.e2e-spec.ts',
  'test/e2e/status/results/large-report.e2e-spec.ts',
];
