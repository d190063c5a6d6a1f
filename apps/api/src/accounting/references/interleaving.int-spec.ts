import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import type { Metric } from '#domain/accounting/metrics/metric-events.js';
import { DomainError } from '#domain/shared/decider.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';
import { type AccountingNode, openTwoNodes, PATIENT_MS, type TwoNodes } from '#test/support/accounting/two-nodes.js';
import { contextFor } from '#test/support/application.js';
import { runs, SEED } from '#test/support/test-runs.js';

const PROJECT = {
  projectId: 'p',
  creatorId: 'spec',
  acronym: 'a',
  title: 't',
  start_date: '2021-01-01',
  end_date: '2031-01-01',
  call_identifier: 'c',
};

/** A call to a node; numbers select records that exist or existed. */
type Call = Readonly<{ node: 0 | 1; what: keyof typeof CALLS; first: number; second: number; pauseMs: number }>;

/** State known to callers: all ids in answers, and metrics that were acknowledged and not removed since. */
class Known {
  readonly definitions: string[] = [];
  readonly installations: string[] = [];
  readonly providers: string[] = [];
  readonly resources: string[] = [];
  readonly metrics = new Map<string, Metric>();
  /** Metrics that are being or have been removed. */
  readonly leaving = new Set<string>();
  names = 0;

  name(kind: string): string {
    this.names++;
    return `${kind}${this.names}`;
  }
}

const among = <T>(all: readonly T[], choice: number): T => {
  const one = all[choice % all.length];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
};

const CALLS = {
  record: async (node: AccountingNode, known: Known, first: number, second: number) => {
    const metric = await node.record(among(known.installations, first), among(known.definitions, second));
    known.metrics.set(metric.metricId, metric);
  },
  revise: async (node: AccountingNode, known: Known, first: number, second: number) => {
    const metric = among([...known.metrics.values()], first);
    await node.reviseMetric(metric.installationId, metric.metricId, among(known.definitions, second));
  },
  remove: async (node: AccountingNode, known: Known, first: number) => {
    const metric = among([...known.metrics.values()], first);
    known.leaving.add(metric.metricId);
    await node.removeMetric(metric);
  },
  deleteDefinition: (node: AccountingNode, known: Known, first: number) => node.deleteDefinition(among(known.definitions, first)),
  reviseDefinition: (node: AccountingNode, known: Known, first: number, second: number) =>
    node.reviseDefinition(among(known.definitions, first), { metric_description: `${second}` }),
  define: async (node: AccountingNode, known: Known) => void known.definitions.push(await node.define(known.name('d'))),
  create: async (node: AccountingNode, known: Known, first: number, second: number) => {
    const refers = { resource: among(known.resources, first), unitOfAccess: among(known.definitions, second) };
    known.installations.push(await node.createInstallation('p', among(known.providers, first), known.name('i'), refers));
  },
  reviseInstallation: (node: AccountingNode, known: Known, first: number, second: number) =>
    node.reviseInstallation(among(known.installations, first), { unitOfAccess: among(known.definitions, second) }),
  moveInstallation: (node: AccountingNode, known: Known, first: number, second: number) =>
    node.reviseInstallation(among(known.installations, first), { organisation: among(known.providers, second) }),
  deleteInstallation: (node: AccountingNode, known: Known, first: number) => node.deleteInstallation(among(known.installations, first)),
  associate: (node: AccountingNode, known: Known, first: number) => node.associate('p', among(known.providers, first)),
  dissociate: (node: AccountingNode, known: Known, first: number) => node.dissociate('p', among(known.providers, first)),
  deleteProvider: (node: AccountingNode, known: Known, first: number) => node.deleteProvider(among(known.providers, first)),
  register: async (node: AccountingNode, known: Known, first: number) => {
    const id = known.name('v');
    if (first % 2 === 0) known.providers.push((await node.registerProvider(id)).record.id);
    else known.resources.push((await node.registerResource(id)).record.id);
  },
  deleteResource: (node: AccountingNode, known: Known, first: number) => node.deleteResource(among(known.resources, first)),
} as const;

const calls = fc.array(
  fc.record({
    node: fc.constantFrom(0 as const, 1 as const),
    // Metrics are the most frequent calls.
    what: fc.constantFrom('record' as const, 'record' as const, ...(Object.keys(CALLS) as (keyof typeof CALLS)[])),
    first: fc.nat(50),
    second: fc.nat(50),
    pauseMs: fc.constantFrom(0, 0, 0, 1, 5, 20),
  }),
  { minLength: 60, maxLength: 60 },
);

/**
 * Accepts expected refusals: a rule refused the call, a record does not exist (any more), or others blocked it for too long. All other
 * errors are failures.
 */
const refused = (error: unknown): void => {
  const isRule = error instanceof DomainError && !/^(REFERENCE|CLOSING)/.test(error.code);
  const isAbsent = error instanceof Error && (/^(there is no|nothing to)/.test(error.message) || 'statusCode' in error);
  if (!(isRule || isAbsent || error instanceof ReadStoreUnavailable)) throw error;
};

/** Dangling references in reads. Referring records are read before and after their targets: those present both times existed in between. */
const dangling = async ({ queries: { catalogue, definitions, metrics } }: AccountingNode, known: Known): Promise<readonly string[]> => {
  const read = async () => ({
    used: Object.keys(await metrics.countsOfProject('p', new TimeSlice())),
    installations: (await Promise.all(known.installations.map((id) => catalogue.installationById(id)))).flatMap((one) => one ?? []),
    associated: (await Promise.all(known.providers.map(async (id) => ((await catalogue.isAssociated(id, 'p')) ? [id] : [])))).flat(),
  });
  const before = await read();
  const [there, providers] = await Promise.all([definitions.definitionsById(known.definitions), catalogue.providers(known.providers)]);
  const hasResource = new Set(
    (await Promise.all(known.resources.map(async (id) => ((await catalogue.hasResource(id)) ? [id] : [])))).flat(),
  );
  const after = await read();
  const isStill = (id: string): boolean => after.installations.some((one) => one.id === id);
  return [
    ...before.used.filter((id) => after.used.includes(id) && !there.has(id)).map((id) => `metrics of ${id}`),
    ...before.associated.filter((id) => after.associated.includes(id) && !providers.has(id)).map((id) => `association of ${id}`),
    ...before.installations.flatMap(({ id, unit_of_access, resource, organisation }) => [
      ...(isStill(id) && unit_of_access && !there.has(unit_of_access) && known.definitions.includes(unit_of_access)
        ? [`unit of access of ${id}`]
        : []),
      ...(isStill(id) && resource && !hasResource.has(resource) ? [`resource of ${id}`] : []),
      ...(isStill(id) && !providers.has(organisation) ? [`provider of ${id}`] : []),
    ]),
  ];
};

/** Runs the calls one after another at each node, with pauses before appends and commits; everything else is left to chance. */
const run = async (nodes: TwoNodes, given: readonly Call[], known: Known): Promise<void> => {
  const seen: string[] = [];
  const over = { now: false };
  const watch = async (): Promise<void> => {
    while (!over.now) {
      seen.push(...(await dangling(nodes.one, known)));
      await sleep(1);
    }
  };
  const clientOf = (node: AccountingNode, own: readonly Call[]) => async (): Promise<void> => {
    for (const { what, first, second, pauseMs } of own) {
      node.hook.beforeAppend = () => (pauseMs > 0 ? sleep(pauseMs).then(() => undefined) : undefined);
      try {
        await CALLS[what](node, known, first, second);
      } catch (error) {
        refused(error);
      }
    }
  };
  const pauses = given.map(({ pauseMs }) => pauseMs);
  let commits = 0;
  nodes.projecting.beforeCommit = () => sleep((pauses[commits++ % pauses.length] ?? 0) / 4).then(() => undefined);
  const watching = watch();
  // Two clients at each node.
  const clients = [0, 1, 2, 3].map((client) =>
    clientOf(
      client % 2 === 0 ? nodes.one : nodes.two,
      given.filter(({ node }, index) => node === client % 2 && (index >> 1) % 2 === client >> 1),
    )(),
  );
  await Promise.all(clients).finally(() => {
    over.now = true;
  });
  await watching;
  expect([...new Set(seen)]).toEqual([]);
};

const furnish = async ({ one }: TwoNodes, known: Known): Promise<void> => {
  await one.gateway.execute(toCatalogue(contextFor('accounting'), { type: 'RegisterProject', project: PROJECT, known: false }));
  for (const provider of ['va', 'vb']) {
    await one.registerProvider(provider);
    await one.associate('p', provider);
    known.providers.push(provider);
  }
  await one.registerResource('ra');
  known.resources.push('ra');
  for (const installation of ['ia', 'ib']) known.installations.push(await one.createInstallation('p', 'va', installation));
  for (const definition of ['da', 'db']) known.definitions.push(await one.define(definition));
};

it('whatever two nodes do at the same time, no reference leads nowhere, and no acknowledged metric is lost', async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.constantFrom(10, PATIENT_MS), async (given, patienceMs) => {
      const nodes = await openTwoNodes();
      try {
        const known = new Known();
        await furnish(nodes, known);
        nodes.two.hook.patienceMs = patienceMs;
        await run(nodes, given, known);
        const { catalogue, metrics } = nodes.two.queries;
        for (const [metricId, metric] of known.metrics)
          if (!known.leaving.has(metricId)) {
            const providerId = (await catalogue.installationById(metric.installationId))?.organisation;
            expect(await metrics.find(metric, metricId)).toMatchObject({ metricId, providerId });
          }
        const shown = Object.values(await metrics.countsOfProject('p', new TimeSlice())).reduce((sum, count) => sum + count, 0);
        expect(shown).toBeLessThanOrEqual(known.metrics.size);
        expect(await dangling(nodes.one, known)).toEqual([]);
      } finally {
        await nodes.close();
      }
    }),
    { numRuns: runs(4, 1), seed: SEED, endOnFailure: true },
  );
});
