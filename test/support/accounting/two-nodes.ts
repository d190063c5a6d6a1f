import { randomBytes } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import { CachedCatalogue } from '#api/accounting/catalogue/cached-catalogue.js';
import { ExternalIdClaims } from '#api/accounting/catalogue/external-id-claims.js';
import * as installationCommands from '#api/accounting/catalogue/installation-commands.js';
import {
  CreateInstallation,
  CreateInstallationHandler,
  DeleteInstallation,
  ReviseInstallation,
} from '#api/accounting/catalogue/installation-commands.js';
import { PermittedScopes } from '#api/accounting/catalogue/permitted-scopes.js';
import * as providerCommands from '#api/accounting/catalogue/provider-commands.js';
import { DeleteProvider, RegisterProvider } from '#api/accounting/catalogue/provider-commands.js';
import * as resourceCommands from '#api/accounting/catalogue/resource-commands.js';
import { DeleteResource, RegisterResource } from '#api/accounting/catalogue/resource-commands.js';
import { CachedDefinitions } from '#api/accounting/definitions/cached-definitions.js';
import * as definitionCommands from '#api/accounting/definitions/definition-commands.js';
import { DefineMetric, DeleteMetricDefinition, ReviseMetricDefinition } from '#api/accounting/definitions/definition-commands.js';
import * as metricCommands from '#api/accounting/metrics/commands.js';
import { RecordMetric, RecordMetricHandler, RemoveMetric, ReviseMetric, ReviseMetricHandler } from '#api/accounting/metrics/commands.js';
import { RecordedMetrics } from '#api/accounting/metrics/recorded-metrics.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import { ProjectStreams } from '#api/accounting/project-streams.js';
import * as associationCommands from '#api/accounting/projects/association-commands.js';
import { AssociateProvider, DissociateProvider } from '#api/accounting/projects/association-commands.js';
import { References } from '#api/accounting/references/references.js';
import { catalogues } from '#api/runtime/vocabulary.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { RunnerDependencies } from '#infra/engine/projection-runner/dependencies.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { accountingProjections } from '#projections/accounting/index.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { contextFor } from '#test/support/application.js';
import { busOver } from '#test/support/command-bus.js';
import { openRunnerLab, overEvents, overStore } from '#test/support/projections/runner-lab.js';
import { callerWith } from './accounting-records.js';

/** Called before each append of a node, and waited for: a node that is stopped there has looked and not written. */
export type BeforeAppend = (stream: string, types: readonly string[]) => Promise<void> | void;

/**
 * `patienceMs`: how long a node waits for others before it ends what they began. `asked`: how often the node looked that up: when it begins, and
 * whenever it finds a record closed. `beforeAppend`: see {@link BeforeAppend}.
 */
export type NodeHook = { beforeAppend: BeforeAppend; patienceMs: number; asked: number };

/** Longer than any test takes: what is in the way comes to an end by itself. */
export const PATIENT_MS = 60_000;

const administrator = callerWith(['admin']);

const given = (...instances: readonly object[]) => instances.map((instance) => ({ provide: instance.constructor, useValue: instance }));

/** The command handlers of one process, and what they work with: caches and folded states of its own. */
const openParts = async (events: EventStore, codec: EventCodec, store: ReadStore, readModels: ReadModels) => {
  const hook: NodeHook = { beforeAppend: () => undefined, patienceMs: PATIENT_MS, asked: 0 };
  class HookedReferences extends References {
    protected override get patienceMs(): number {
      hook.asked += 1;
      return hook.patienceMs;
    }
  }
  const own = overEvents(events, {
    append: async (stream, appended, expected) => {
      await hook.beforeAppend(
        stream,
        appended.map(({ type }) => type),
      );
      return events.append(stream, appended, expected);
    },
  });
  const processor = new StreamProcessor(own, codec);
  const gateway = new CommandGateway(processor, readModels);
  const queries = { catalogue: new CatalogueQueries(store), definitions: new DefinitionQueries(store), metrics: new MetricQueries(store) };
  const { catalogue, metrics } = queries;
  const caches = [new CachedCatalogue(store), new CachedDefinitions(store)] as const;
  const projects = new ProjectStreams(gateway);
  const references = new HookedReferences(gateway, readModels);
  const claims = new ExternalIdClaims(gateway, catalogue);
  const recorded = new RecordedMetrics(gateway, metrics, references, projects);
  const scopes = new PermittedScopes(catalogue, caches[0]);
  const bus = await busOver(
    ...given(gateway, ...Object.values(queries), ...caches, projects, claims, recorded, scopes, new ObjectIds(Date.now)),
    { provide: References, useValue: references },
    ...[RecordMetricHandler, ReviseMetricHandler, CreateInstallationHandler],
    ...handlersOf(definitionCommands, metricCommands, providerCommands, resourceCommands, associationCommands, installationCommands),
  );
  return { hook, processor, gateway, queries, caches, bus };
};

type InstallationChanges = Partial<Readonly<Record<'organisation' | 'resource' | 'unitOfAccess' | 'infrastructure', string>>>;
type Calling = Readonly<{ bus: CommandBus; catalogue: CatalogueQueries }>;

const context = (key?: string) => ({ ...contextFor('accounting'), ...(key !== undefined && { idempotency: { key, body: 'body' } }) });
const values = (name: string) => ({ metric_name: name, metric_description: null, unit_type: 'count', metric_type: 'aggregated' });

const found = async <Found>(id: string, finding: Promise<Found | undefined>): Promise<Found> => {
  const one = await finding;
  if (one === undefined) throw new Error(`there is no ${id}`);
  return one;
};

const definitionCalls = ({ bus }: Calling) => ({
  define: async (name: string) =>
    (await bus.execute(new DefineMetric(context(), { creatorId: 'spec', definition: values(name) }))).record.metric_definition_id,
  reviseDefinition: (definitionId: string, changes: object) =>
    bus.execute(new ReviseMetricDefinition(context(), { definitionId, changes })),
  deleteDefinition: (definitionId: string) => bus.execute(new DeleteMetricDefinition(context(), { definitionId })),
});

const metricCalls = ({ bus, catalogue }: Calling) => ({
  record: async (installationId: string, definitionId: string, key?: string, userId: string | null = null) => {
    const period = { start: '2022-01-01T00:00:00Z', end: '2022-01-02T00:00:00Z' };
    const metric = { definitionId, period, value: '1', groupId: null, userId };
    return (await bus.execute(new RecordMetric(context(key), { caller: administrator, installationId, metric }))).record;
  },
  reviseMetric: async (installationId: string, metricId: string, definitionId: string) => {
    const { project: projectId } = await found(installationId, catalogue.installationById(installationId));
    const revision = { definitionId, value: null, groupId: null, userId: null, period: { start: null, end: null } };
    return bus.execute(new ReviseMetric(context(), { installation: { projectId, installationId }, metricId, revision }));
  },
  removeMetric: async ({ metricId, ...installation }: Readonly<{ projectId: string; installationId: string; metricId: string }>) =>
    bus.execute(new RemoveMetric(context(), { installation, metricId })),
});

const recordCalls = ({ bus }: Calling) => ({
  registerProvider: (id: string) => {
    const described = { name: id, website: null, abbreviation: null, logo: null };
    return bus.execute(new RegisterProvider(context(), { id, externalId: `e-${id}`, creatorId: 'spec', ...described }));
  },
  deleteProvider: (providerId: string) => bus.execute(new DeleteProvider(context(), { providerId })),
  registerResource: (id: string) => bus.execute(new RegisterResource(context(), { id, name: id })),
  deleteResource: (resourceId: string) => bus.execute(new DeleteResource(context(), { resourceId })),
});

const projectCalls = ({ bus, catalogue }: Calling) => ({
  associate: (projectId: string, providerId: string) => bus.execute(new AssociateProvider(context(), { projectId, providerId })),
  dissociate: async (projectId: string, providerId: string) => {
    const { generation } = await found(projectId, catalogue.project(projectId));
    return bus.execute(new DissociateProvider(context(), { projectId, generation, providerId }));
  },
  createInstallation: async (
    projectId: string,
    organisation: string,
    name: string,
    refers: Partial<Readonly<{ resource: string; unitOfAccess: string }>> = {},
  ) => {
    const generation = (await catalogue.project(projectId))?.generation ?? 0;
    const content = { organisation, infrastructure: 'i', installation: name, resource: null, unitOfAccess: null, ...refers };
    const created = { projectId, generation, externalId: `e-${name}`, content, creatorId: 'spec' };
    return (await bus.execute(new CreateInstallation(context(), created))).record.id;
  },
  reviseInstallation: async (id: string, changes: InstallationChanges) =>
    bus.execute(new ReviseInstallation(context(), { installation: await found(id, catalogue.installationById(id)), changes })),
  deleteInstallation: async (id: string) => bus.execute(new DeleteInstallation(context(), await found(id, catalogue.installationById(id)))),
});

const openNode = async (...of: Parameters<typeof openParts>) => {
  const { hook, processor, gateway, queries, caches, bus } = await openParts(...of);
  const calling = { bus, catalogue: queries.catalogue };
  return {
    hook,
    gateway,
    queries,
    ...definitionCalls(calling),
    ...metricCalls(calling),
    ...recordCalls(calling),
    ...projectCalls(calling),
    close: async () => {
      for (const cache of caches) cache.onModuleDestroy();
      await processor.close();
    },
  };
};

export type AccountingNode = Awaited<ReturnType<typeof openNode>>;

/** Read models of a process; commands wait for them as long as `waiting` says. */
class PatientReadModels extends ReadModels {
  readonly waiting = { milliseconds: PATIENT_MS };

  override applied(category: string, position: Position): Promise<boolean> {
    return super.applied(category, position, this.waiting.milliseconds);
  }
}

/** Two processes, as far as the rules are concerned, on one log and the same read models, which one of them keeps up to date. */
export const openTwoNodes = async () => {
  const lab = await openRunnerLab('embedded');
  const keys = await SubjectKeys.open({ store: lab.events, masterKey: randomBytes(32) });
  const codec = new EventCodec(catalogues, keys);
  const projecting: { beforeCommit: (projection: string) => Promise<void> | void } = { beforeCommit: () => undefined };
  const held = overStore(lab.store, {
    committing: async (commit, { projection }) => {
      await projecting.beforeCommit(projection);
      return commit();
    },
  });
  const dependencies: RunnerDependencies = { ...lab.dependencies, store: held, decode: (events) => codec.decodeAll(events) };
  const applying = new PatientReadModels(dependencies, accountingProjections);
  const following = new PatientReadModels({ ...dependencies, seats: null }, accountingProjections);
  applying.start();
  following.start();
  const [one, two] = [await openNode(lab.events, codec, lab.store, applying), await openNode(lab.events, codec, lab.store, following)];
  return {
    events: lab.events,
    codec,
    keys,
    one,
    two,
    /** What is waited for before each commit of a read model. */
    projecting,
    /** How long commands wait for the read models. */
    waitFor: (milliseconds: number): void => {
      applying.waiting.milliseconds = milliseconds;
      following.waiting.milliseconds = milliseconds;
    },
    close: async () => {
      await Promise.all([one.close(), two.close()]);
      await Promise.all([applying.stop(), following.stop()]);
      await lab.dispose();
    },
  };
};

export type TwoNodes = Awaited<ReturnType<typeof openTwoNodes>>;
