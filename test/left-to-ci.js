/**
 * Suites that a plain `npm test` leaves to full runs (`LOGBOOK_TEST_RUNS=all`, as `.ci/run` sets it), because it is to end in seven minutes on two cores:
 * together they take as long as the rest. What they look at as a whole, others look at piece by piece in every run. A run that names paths leaves none out.
 */
export const leftToCi = [
  // Several nodes and clusters of stores, and their outages: `messaging/journey` has two servers in every run, on Redis and EventStoreDB.
  'libs/infra/src/stores/event-store/eventstoredb/subscriptions/subscriptions.int-spec.ts',
  'libs/infra/src/stores/read-store/redis/redis-cluster.int-spec.ts',
  'libs/infra/src/stores/read-store/redis/redis-sentinel.int-spec.ts',
  'test/deployment/rolling-upgrade.e2e-spec.ts',
  'test/deployment/waiting.e2e-spec.ts',
  'test/e2e/accounting/definitions/two-nodes.e2e-spec.ts',
  'test/e2e/messaging/deliveries/nodes.e2e-spec.ts',
  'test/e2e/messaging/push/push-takeover.e2e-spec.ts',
  'test/e2e/operations/messaging-nodes.e2e-spec.ts',
  'test/e2e/operations/nodes.e2e-spec.ts',
  'test/e2e/operations/odd-events.e2e-spec.ts',
  'test/e2e/operations/roles.e2e-spec.ts',
  'test/e2e/operations/shared-stores.e2e-spec.ts',
  'test/faults/faults.e2e-spec.ts',
  // Servers that are killed, and stores that are damaged, lost or restored: `embedded-processes` and `power-loss` kill writers in every run.
  'test/e2e/operations/accidents.e2e-spec.ts',
  'test/e2e/operations/copies/copies.e2e-spec.ts',
  'test/e2e/operations/damage.e2e-spec.ts',
  'test/e2e/operations/durability.e2e-spec.ts',
  'test/e2e/operations/failing-disk.e2e-spec.ts',
  'test/e2e/operations/lost-read-models.e2e-spec.ts',
  'test/e2e/operations/restored-log.e2e-spec.ts',
  'test/e2e/status/metric-data/killed.e2e-spec.ts',
  'test/e2e/status/metric-source/metric-source.e2e-spec.ts',
  'test/e2e/operations/standing-still.e2e-spec.ts',
  'test/faults/disks/disks.e2e-spec.ts',
  'test/faults/disks/machine.e2e-spec.ts',
  // Data of releases: their answers, and copies of them. The property of `numbering` has some runs every time.
  'test/releases/copied.e2e-spec.ts',
  'test/releases/releases.int-spec.ts',
  // Programs and documents as a whole: `start` and `ending` run the server in every run, and the mappings of a migration have specs.
  'test/deployment/image.e2e-spec.ts',
  'test/e2e/http/small-heap.e2e-spec.ts',
  'test/e2e/http/tls.e2e-spec.ts',
  'test/e2e/http/x509.e2e-spec.ts',
  'test/e2e/migrate/accounting.e2e-spec.ts',
  'test/e2e/migrate/status.e2e-spec.ts',
  'test/e2e/operations/cli.e2e-spec.ts',
  'test/e2e/operations/documented-calls.e2e-spec.ts',
  'test/e2e/operations/readme.e2e-spec.ts',
  'test/e2e/operations/terminal.e2e-spec.ts',
  'test/samples/pubsub.e2e-spec.ts',
  'test/samples/samples.e2e-spec.ts',
  // Every view of the console, and its demo: `pages` tries the frequent ones in every run.
  'test/console/demo/demo.e2e-spec.ts',
  'test/console/frame.e2e-spec.ts',
  'test/console/views.e2e-spec.ts',
  // Long work: rebuilds, verifications, recomputations and pages of the past have smaller suites.
  'libs/infra/src/edges/copies/copies.int-spec.ts',
  'libs/infra/src/engine/integrity/integrity.int-spec.ts',
  'test/e2e/as-of/same-as-then.int-spec.ts',
  'test/e2e/operations/failing-events.e2e-spec.ts',
  'test/e2e/operations/verifications.e2e-spec.ts',
  'test/e2e/status/metric-source/set-aside.e2e-spec.ts',
  'test/e2e/status/results/recomputation-runs.e2e-spec.ts',
  // Much at once: what is counted, refused and cut into slices has specs.
  'test/e2e/accounting/limits.e2e-spec.ts',
  'test/e2e/http/body-limits.e2e-spec.ts',
  'test/e2e/messaging/messages/load.e2e-spec.ts',
  'test/e2e/status/limits.e2e-spec.ts',
  'test/e2e/status/long-answers.e2e-spec.ts',
  'test/e2e/status/results/large-report.e2e-spec.ts',
  // The same contract once more, over a store that seals what it keeps; and the EventStoreDB of the tests itself.
  'libs/infra/src/stores/read-store/sealed/sealed-read-store.int-spec.ts',
  'test/support/eventstoredb/recording.int-spec.ts',
  'test/support/eventstoredb/server.int-spec.ts',
];
