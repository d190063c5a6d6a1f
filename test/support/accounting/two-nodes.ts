import { randomBytes } from 'node:crypto';
import { CachedCatalogue } from '#api/accounting/catalogue/cached-catalogue.js';
import { ExternalIdClaims } from '#api/accounting/catalogue/external-id-claims.js';
import {
  CreateInstallation,
  CreateInstallationHandler,
  DeleteInstallation,
  DeleteInstallationHandler,
  ReviseInstallation,
  ReviseInstallationHandler,
} from '#api/accounting/catalogue/installation-commands.js';
import { ProjectStreams } from '#api/accounting/catalogue/project-streams.js';
import {
  DeleteProvider,
  DeleteProviderHandler,
  RegisterProvider,
  RegisterProviderHandler,
} from '#api/accounting/catalogue/provider-commands.js';
import {
  DeleteResource,
  DeleteResourceHandler,
  RegisterResource,
  RegisterResourceHandler,
} from '#api/accounting/catalogue/resource-commands.js';
import { CachedDefinitions } from '#api/accounting/definitions/cached-definitions.js';
import {
  DefineMetric,
  DefineMetricHandler,
  DeleteMetricDefinition,
  DeleteMetricDefinitionHandler,
  ReviseMetricDefinition,
  ReviseMetricDefinitionHandler,
} from '#api/accounting/definitions/definition-commands.js';
import {
  RecordMetric,
  RecordMetricHandler,
  RemoveMetric,
  RemoveMetricHandler,
  ReviseMetric,
  ReviseMetricHandler,
} from '#api/accounting/metrics/commands.js';
import { PermittedScopes } from '#api/accounting/metrics/permitted-scopes.js';
import { RecordedMetrics } from '#api/accounting/metrics/recorded-metrics.js';
import { ObjectIds } from '#api/accounting/object-ids.js';
import {
  AssociateProvider,
  AssociateProviderHandler,
  DissociateProvider,
  DissociateProviderHandler,
} from '#api/accounting/projects/association-commands.js';
import { References } from '#api/accounting/references/references.js';
import { catalogues } from '#api/runtime/vocabulary.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
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
import { callerWith } from '#test/support/accounting-records.js';
import { contextFor } from '#test/support/application.js';
import { openRunnerLab, overEvents, overStore } from '#test/support/projections/runner-lab.js';

/** Called before each append of a node, and waited for: a node that is stopped there has looked and not written. */
export type BeforeAppend = (stream: string, types: readonly string[]) => Promise<void> | void;

/** `patienceMs`: how long a node waits for others before it ends what they began. `beforeAppend`: see {@link BeforeAppend}. */
export type NodeHook = { beforeAppend: BeforeAppend; patienceMs: number };

/** Longer than any test takes: what is in the way comes to an end by itself. */
export const PATIENT_MS = 60_000;

const administrator = callerWith(['admin']);

/** What the command handlers of one process are made of, with caches and folded states of its own. */
const openParts = (events: EventStore, codec: EventCodec, store: ReadStore, readModels: ReadModels) => {
  const hook: NodeHook = { beforeAppend: () => undefined, patienceMs: PATIENT_MS };
  class HookedReferences extends References {
    protected override get patienceMs(): number {
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
  const catalogue = new CatalogueQueries(store);
  const definitions = new DefinitionQueries(store);
  const metrics = new MetricQueries(store);
  const [cachedCatalogue, cachedDefinitions] = [new CachedCatalogue(store), new CachedDefinitions(store)];
  const projects = new ProjectStreams(gateway);
  const references = new HookedReferences(gateway, readModels);
  const ids = new ObjectIds(Date.now);
  const claims = new ExternalIdClaims(gateway, catalogue);
  const recorded = new RecordedMetrics(gateway, metrics, references, projects);
  const scopes = new PermittedScopes(catalogue, cachedCatalogue);
  const installation = async (id: string) => {
    const found = await catalogue.installationById(id);
    if (!found) throw new Error(`there is no installation ${id}`);
    return found;
  };
  return {
    hook,
    processor,
    gateway,
    catalogue,
    definitions,
    metrics,
    cachedCatalogue,
    cachedDefinitions,
    projects,
    references,
    ids,
    claims,
    recorded,
    scopes,
    installation,
  };
};

type Parts = ReturnType<typeof openParts>;

const context = (key?: string) => ({ ...contextFor('accounting'), ...(key !== undefined && { idempotency: { key, body: 'body' } }) });
const values = (name: string) => ({ metric_name: name, metric_description: null, unit_type: 'count', metric_type: 'aggregated' });

const definitionCalls = ({ gateway, references, ids, definitions, metrics, catalogue }: Parts) => ({
  define: async (name: string) =>
    (await new DefineMetricHandler(gateway, ids).execute(new DefineMetric(context(), 'spec', values(name)))).record.metric_definition_id,
  reviseDefinition: (id: string, changes: object) =>
    new ReviseMetricDefinitionHandler(references, definitions, metrics).execute(new ReviseMetricDefinition(context(), id, changes)),
  deleteDefinition: (id: string) =>
    new DeleteMetricDefinitionHandler(references, definitions, metrics, catalogue).execute(new DeleteMetricDefinition(context(), id)),
});

const metricCalls = ({ gateway, references, ids, metrics, scopes, cachedCatalogue, cachedDefinitions, recorded, installation }: Parts) => ({
  record: async (installationId: string, definitionId: string, key?: string, userId: string | null = null) => {
    const handler = new RecordMetricHandler(gateway, scopes, cachedCatalogue, cachedDefinitions, recorded, ids);
    const period = { start: '2022-01-01T00:00:00Z', end: '2022-01-02T00:00:00Z' };
    const metric = { definitionId, period, value: '1', groupId: null, userId };
    return (await handler.execute(new RecordMetric(context(key), administrator, installationId, metric))).record;
  },
  reviseMetric: async (installationId: string, metricId: string, definitionId: string) => {
    const { project: projectId } = await installation(installationId);
    const revision = { definitionId, value: null, groupId: null, userId: null, period: { start: null, end: null } };
    const handler = new ReviseMetricHandler(gateway, references, cachedDefinitions, metrics);
    return handler.execute(new ReviseMetric(context(), { projectId, installationId }, metricId, revision));
  },
  removeMetric: async (of: Readonly<{ projectId: string; installationId: string; metricId: string }>) =>
    new RemoveMetricHandler(gateway, metrics).execute(new RemoveMetric(context(), of, of.metricId)),
});

const recordCalls = ({ gateway, references, ids, catalogue }: Parts) => ({
  registerProvider: (id: string) =>
    new RegisterProviderHandler(gateway, ids).execute(
      new RegisterProvider(context(), {
        id,
        externalId: `e-${id}`,
        creatorId: 'spec',
        name: id,
        website: null,
        abbreviation: null,
        logo: null,
      }),
    ),
  deleteProvider: (id: string) => new DeleteProviderHandler(references, catalogue).execute(new DeleteProvider(context(), id)),
  registerResource: (id: string) => new RegisterResourceHandler(gateway).execute(new RegisterResource(context(), { id, name: id })),
  deleteResource: (id: string) => new DeleteResourceHandler(references, catalogue).execute(new DeleteResource(context(), id)),
});

const projectCalls = ({ gateway, references, ids, catalogue, definitions, metrics, projects, claims, installation }: Parts) => ({
  associate: (projectId: string, providerId: string) =>
    new AssociateProviderHandler(projects, catalogue, references).execute(new AssociateProvider(context(), projectId, providerId)),
  dissociate: async (projectId: string, providerId: string) => {
    const project = await catalogue.project(projectId);
    if (!project) throw new Error('there is no project');
    return new DissociateProviderHandler(gateway).execute(new DissociateProvider(context(), project, providerId));
  },
  createInstallation: async (
    projectId: string,
    organisation: string,
    name: string,
    refers: Partial<Readonly<{ resource: string; unitOfAccess: string }>> = {},
  ) => {
    const generation = (await catalogue.project(projectId))?.generation ?? 0;
    const content = { organisation, infrastructure: 'i', installation: name, resource: null, unitOfAccess: null, ...refers };
    const handler = new CreateInstallationHandler(projects, catalogue, definitions, claims, references, ids);
    const created = { projectId, generation, externalId: `e-${name}`, content, creatorId: 'spec' };
    return (await handler.execute(new CreateInstallation(context(), created))).record.id;
  },
  reviseInstallation: async (id: string, changes: Partial<Readonly<{ resource: string; unitOfAccess: string; infrastructure: string }>>) =>
    new ReviseInstallationHandler(projects, catalogue, definitions, metrics, references).execute(
      new ReviseInstallation(context(), await installation(id), changes),
    ),
  deleteInstallation: async (id: string) =>
    new DeleteInstallationHandler(claims, metrics, references).execute(new DeleteInstallation(context(), await installation(id))),
});

const openNode = (...of: Parameters<typeof openParts>) => {
  const parts = openParts(...of);
  const { hook, gateway, catalogue, definitions, metrics, cachedCatalogue, cachedDefinitions, processor } = parts;
  return {
    hook,
    gateway,
    queries: { catalogue, definitions, metrics },
    ...definitionCalls(parts),
    ...metricCalls(parts),
    ...recordCalls(parts),
    ...projectCalls(parts),
    close: async () => {
      cachedCatalogue.onModuleDestroy();
      cachedDefinitions.onModuleDestroy();
      await processor.close();
    },
  };
};

export type AccountingNode = ReturnType<typeof openNode>;

/** Read models of a process; commands wait for them as long as `waiting` says. */
class PatientReadModels extends ReadModels {
  readonly waiting = { milliseconds: PATIENT_MS };

  override applied(category: string, position: Position): Promise<boolean> {
    return super.applied(category, position, this.waiting.milliseconds);
  }
}

/** Two processes, as far as the rules are concerned, on one log and the same read models, which one of them keeps up to date. */
export const openTwoNodes = async () => {
  const lab = await openRunnerLab('lmdb');
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
  const [one, two] = [openNode(lab.events, codec, lab.store, applying), openNode(lab.events, codec, lab.store, following)];
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
