import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { toCatalogue } from '#api/accounting/stream-commands.js';
import { installationSubject } from '#domain/accounting/catalogue/catalogue-events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type AccountingNode, openTwoNodes, PATIENT_MS, type TwoNodes } from '#test/support/accounting/two-nodes.js';
import { contextFor } from '#test/support/application.js';
import { until } from '#test/support/eventually.js';
import { turns } from '#test/support/turns.js';

const PROJECT = { acronym: 'EGI', title: 'grid', start_date: '2021-01-01', end_date: '2031-01-01', call_identifier: 'call' };

let nodes: TwoNodes;
beforeAll(async () => {
  nodes = await openTwoNodes();
});
afterAll(() => nodes?.close());
afterEach(() => {
  for (const { hook } of [nodes.one, nodes.two]) Object.assign(hook, { beforeAppend: () => undefined, patienceMs: PATIENT_MS });
  nodes.waitFor(PATIENT_MS);
  nodes.projecting.beforeCommit = () => undefined;
});

const signal = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
};

/** A gate that stops a caller: `reached` resolves when a caller arrives, and `open` lets it continue. */
const gate = () => {
  const [opened, reached] = [signal(), signal()];
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    stop: async () => {
      reached.resolve();
      await opened.promise;
    },
  };
};

/** Stops a node once before it appends an event of the type. */
const stopBefore = ({ hook }: AccountingNode, type: string) => {
  const { reached, open, stop } = gate();
  const hit = { once: false };
  hook.beforeAppend = async (_stream, types) => {
    if (hit.once || !types.includes(type)) return;
    hit.once = true;
    await stop();
  };
  return { reached, open };
};

/** Calls the removals of a node. Resolves once each of them has closed its record and found that it is held. */
const untilHeld = async ({ hook }: AccountingNode, removals: readonly (() => Promise<unknown>)[]) => {
  const { asked } = hook;
  const outcomes = removals.map((remove) =>
    remove().then(
      () => 'removed',
      (error: { code: string }) => error.code,
    ),
  );
  await until(() => hook.asked === asked + 2 * removals.length); // before it is closed, and after
  await turns();
  return { outcomes: Promise.all(outcomes) };
};

const names = { count: 0 };
const name = (kind: string): string => `${kind}-${++names.count}`;

/** A project with an associated provider, an installation, and a definition. */
const furnished = async () => {
  const { one } = nodes;
  const [projectId, providerId] = [name('project'), name('provider')];
  const project = { projectId, creatorId: 'spec', ...PROJECT };
  await one.gateway.execute(toCatalogue(contextFor('accounting'), { type: 'RegisterProject', project, known: false }));
  await one.registerProvider(providerId);
  await one.associate(projectId, providerId);
  const installationId = await one.createInstallation(projectId, providerId, name('installation'));
  return { projectId, providerId, installationId, definitionId: await one.define(name('definition')) };
};

const counts = async (projectId: string) => nodes.one.queries.metrics.countsOfProject(projectId, new TimeSlice());
const deleteProject = (projectId: string) =>
  nodes.one.gateway.execute(toCatalogue(contextFor('accounting'), { type: 'DeleteProject', projectId }));

describe('A metric whose node is stopped between its look and its append', () => {
  it('is refused if its definition is deleted meanwhile', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const stopped = stopBefore(nodes.two, 'MetricRecorded');
    const recording = nodes.two.record(installationId, definitionId.toUpperCase()).catch((error: unknown) => error);
    await stopped.reached;
    expect((await nodes.one.deleteDefinition(definitionId)).readable).toBe(true);
    stopped.open();
    // In the caller's spelling.
    expect(await recording).toMatchObject({ code: 'DEFINITION_NOT_FOUND', details: { definitionId: definitionId.toUpperCase() } });
    expect(await counts(projectId)).toEqual({});
  });

  it('is recorded anew if its definition is changed meanwhile', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const changing = stopBefore(nodes.one, 'MetricDefinitionRevised');
    const change = nodes.one.reviseDefinition(definitionId, { metric_description: 'new' });
    await changing.reached;
    const { asked } = nodes.two.hook;
    const recording = nodes.two.record(installationId, definitionId, 'key of a call');
    await until(() => nodes.two.hook.asked > asked + 1); // it has found the definition closed
    changing.open();
    expect((await change).record).toMatchObject({ metric_description: 'new' });
    const recorded = await recording;
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
    // The key leads to the metric that counts, not to the void one.
    expect(await nodes.one.record(installationId, definitionId, 'key of a call')).toEqual(recorded);
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
    await expect(nodes.two.reviseDefinition(definitionId, { metric_description: 'newer' })).rejects.toMatchObject({
      code: 'DEFINITION_MEASURED_UPDATE',
    });
  });

  /** A metric that is about to be recorded, and another provider to which its installation may move. */
  const recordingBeforeMove = async () => {
    const made = await furnished();
    const organisation = name('provider');
    await nodes.one.registerProvider(organisation);
    await nodes.one.associate(made.projectId, organisation);
    const stopped = stopBefore(nodes.two, 'MetricRecorded');
    const recording = nodes.two.record(made.installationId, made.definitionId);
    await stopped.reached;
    return { ...made, organisation, stopped, recording };
  };

  it('is recorded anew if its installation moves to another provider meanwhile', async () => {
    const { projectId, installationId, definitionId, organisation, stopped, recording } = await recordingBeforeMove();
    await nodes.one.reviseInstallation(installationId, { organisation });
    stopped.open();
    const metric = await recording;
    expect(await nodes.one.queries.metrics.find(metric, metric.metricId)).toMatchObject({ providerId: organisation });
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
  });

  it('is recorded anew once reads show the other provider', async () => {
    const { projectId, installationId, definitionId, organisation, stopped, recording } = await recordingBeforeMove();
    nodes.one.hook.beforeAppend = (_stream, types) => {
      if (!types.includes('InstallationRevised')) return;
      nodes.projecting.beforeCommit = (projection) => (projection === 'accounting.catalogue' ? sleep(1_000) : undefined);
      nodes.waitFor(1);
    };
    await nodes.one.reviseInstallation(installationId, { organisation });
    nodes.waitFor(PATIENT_MS);
    stopped.open();
    expect(await recording).toMatchObject({ providerId: organisation });
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
  });

  it('is recorded under its key later, if its installation moves before each attempt', async () => {
    const { projectId, providerId, installationId, definitionId } = await furnished();
    const organisation = name('provider');
    await nodes.one.registerProvider(organisation);
    await nodes.one.associate(projectId, organisation);
    const moves = { count: 0 };
    nodes.two.hook.beforeAppend = async (_stream, types) => {
      if (types.includes('MetricRecorded'))
        await nodes.one.reviseInstallation(installationId, { organisation: moves.count++ % 2 === 0 ? organisation : providerId });
    };
    const record = () => nodes.two.record(installationId, definitionId, 'key of a moved call');
    await expect(record()).rejects.toMatchObject({ name: 'ReadStoreUnavailable' });
    nodes.two.hook.beforeAppend = () => undefined;
    const recorded = await record();
    expect(await record()).toEqual(recorded);
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
  });

  it('is refused if its installation is deleted meanwhile', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const stopped = stopBefore(nodes.two, 'MetricRecorded');
    const recording = nodes.two.record(installationId, definitionId).catch((error: unknown) => error);
    await stopped.reached;
    await nodes.one.deleteInstallation(installationId);
    stopped.open();
    expect(await recording).toMatchObject({ code: 'INSTALLATION_NOT_FOUND', details: { installationId } });
    expect(await counts(projectId)).toEqual({});
  });

  it('is refused if its project is deleted meanwhile', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const stopped = stopBefore(nodes.two, 'MetricRecorded');
    const recording = nodes.two.record(installationId, definitionId).catch((error: unknown) => error);
    await stopped.reached;
    await deleteProject(projectId);
    stopped.open();
    expect(await recording).toMatchObject({ code: 'INSTALLATION_NOT_FOUND', details: { installationId } });
    await nodes.one.deleteDefinition(definitionId);
  });
});

describe('A removal whose node is stopped', () => {
  it.each([
    ['definition', 'MetricDefinitionDeleted', 'DEFINITION_MEASURED_DELETE'],
    ['installation', 'InstallationDeleted', 'INSTALLATION_MEASURED_DELETE'],
  ] as const)('keeps metrics away only for a while: the %s', async (kind, type, refusal) => {
    const { projectId, installationId, definitionId } = await furnished();
    const stopped = stopBefore(nodes.one, type);
    const removal = (kind === 'definition' ? nodes.one.deleteDefinition(definitionId) : nodes.one.deleteInstallation(installationId)).catch(
      (error: unknown) => error,
    );
    await stopped.reached;
    nodes.two.hook.patienceMs = 50;
    await nodes.two.record(installationId, definitionId);
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
    stopped.open();
    expect(await removal).toMatchObject({ code: refusal });
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
  });

  it('is finished by nobody: it is made anew by whoever removes the record next', async () => {
    const { definitionId } = await furnished();
    const stopped = stopBefore(nodes.one, 'MetricDefinitionDeleted');
    const removal = nodes.one.deleteDefinition(definitionId).catch((error: unknown) => error);
    await stopped.reached;
    nodes.two.hook.patienceMs = 50;
    expect((await nodes.two.deleteDefinition(definitionId)).events).toMatchObject([{ type: 'MetricDefinitionDeleted' }]);
    stopped.open();
    expect(await removal).toMatchObject({ code: 'DEFINITION_NOT_FOUND' });
  });
});

describe('A reference of a project whose node is stopped before it is made', () => {
  it('keeps a provider, or comes too late for it', async () => {
    const { projectId } = await furnished();
    const providerId = name('provider');
    await nodes.one.registerProvider(providerId);
    const stopped = stopBefore(nodes.two, 'ProviderAssociated');
    const association = nodes.two.associate(projectId, providerId).catch((error: unknown) => error);
    await stopped.reached;
    nodes.one.hook.patienceMs = 50;
    await nodes.one.deleteProvider(providerId);
    stopped.open();
    expect(await association).toMatchObject({ code: 'PROVIDER_NOT_FOUND', details: { providerId } });
    expect(await nodes.one.queries.catalogue.isAssociated(providerId, projectId)).toBe(false);
  });

  it('keeps a definition and a resource from being deleted while it is made', async () => {
    const { projectId, providerId, definitionId } = await furnished();
    const resource = name('resource');
    await nodes.one.registerResource(resource);
    const stopped = stopBefore(nodes.two, 'InstallationCreated');
    const creation = nodes.two.createInstallation(projectId, providerId, name('installation'), { resource, unitOfAccess: definitionId });
    await stopped.reached;
    const { outcomes } = await untilHeld(nodes.one, [
      () => nodes.one.deleteDefinition(definitionId),
      () => nodes.one.deleteResource(resource),
    ]);
    stopped.open();
    const id = await creation;
    expect(await outcomes).toEqual(['DEFINITION_ACCESSED', 'RESOURCE_IN_USE']);
    expect(await nodes.two.queries.catalogue.installationById(id)).toMatchObject({ resource, unit_of_access: definitionId });
  });

  it('is refused if the project is deleted meanwhile', async () => {
    const { projectId, providerId } = await furnished();
    const stopped = stopBefore(nodes.two, 'InstallationCreated');
    const creation = nodes.two.createInstallation(projectId, providerId, name('installation')).catch((error: unknown) => error);
    await stopped.reached;
    await deleteProject(projectId);
    stopped.open();
    expect(await creation).toMatchObject({ code: 'PROJECT_NOT_FOUND', details: { projectId } });
  });

  it('keeps the definition that a metric changes to', async () => {
    const { installationId, definitionId } = await furnished();
    const other = await nodes.one.define(name('definition'));
    const { metricId } = await nodes.one.record(installationId, definitionId);
    const stopped = stopBefore(nodes.two, 'MetricRevised');
    const revision = nodes.two.reviseMetric(installationId, metricId, other);
    await stopped.reached;
    const { outcomes } = await untilHeld(nodes.one, [() => nodes.one.deleteDefinition(other)]);
    stopped.open();
    expect((await revision).record.definitionId).toBe(other);
    expect(await outcomes).toEqual(['DEFINITION_MEASURED_DELETE']);
    await nodes.one.deleteDefinition(definitionId);
  });
});

describe('A change of the definition of a metric whose node is stopped before it is made', () => {
  it('comes too late for a definition that was removed meanwhile, and leads nowhere', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const other = await nodes.one.define(name('definition'));
    const { metricId } = await nodes.one.record(installationId, definitionId);
    const stopped = stopBefore(nodes.two, 'MetricRevised');
    const revision = nodes.two.reviseMetric(installationId, metricId, other).catch((error: unknown) => error);
    await stopped.reached;
    nodes.one.hook.patienceMs = 50;
    expect((await nodes.one.deleteDefinition(other)).readable).toBe(true);
    stopped.open();
    expect(await revision).toMatchObject({ code: 'DEFINITION_NOT_FOUND' });
    expect(await counts(projectId)).toEqual({ [definitionId]: 1 });
  });

  it('is made anew for a definition that was changed meanwhile', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const other = await nodes.one.define(name('definition'));
    const { metricId } = await nodes.one.record(installationId, definitionId);
    const stopped = stopBefore(nodes.two, 'MetricRevised');
    const revision = nodes.two.reviseMetric(installationId, metricId, other);
    await stopped.reached;
    nodes.one.hook.patienceMs = 50;
    await nodes.one.reviseDefinition(other, { metric_description: 'new' });
    stopped.open();
    expect((await revision).record).toMatchObject({ definitionId: other });
    expect(await counts(projectId)).toEqual({ [other]: 1 });
    await nodes.one.deleteDefinition(definitionId);
  });
});

describe('A change of the definition of a metric whose project is deleted, and its users are erased', () => {
  it('keeps nobody from removing the definition', async () => {
    const { projectId, installationId, definitionId } = await furnished();
    const other = await nodes.one.define(name('definition'));
    const { metricId } = await nodes.one.record(installationId, definitionId, undefined, 'ada');
    const stopped = stopBefore(nodes.two, 'MetricRevised');
    const revision = nodes.two.reviseMetric(installationId, metricId, other).catch((error: unknown) => error);
    await stopped.reached;
    await deleteProject(projectId);
    await nodes.keys.destroy(installationSubject(installationId));
    nodes.one.hook.patienceMs = 50;
    expect((await nodes.one.deleteDefinition(other)).events).toMatchObject([{ type: 'MetricDefinitionDeleted' }]);
    stopped.open();
    await revision;
    expect(await counts(projectId)).toEqual({});
  });
});

describe('While the read models are behind', () => {
  it('nothing is removed that something may refer to', async () => {
    const { installationId, definitionId, projectId } = await furnished();
    const held = gate();
    nodes.waitFor(200);
    nodes.projecting.beforeCommit = (projection) => (projection === 'accounting.metrics' ? held.stop() : undefined);
    const recorded = await nodes.two.record(installationId, definitionId); // acknowledged from the log
    await expect(nodes.one.deleteDefinition(definitionId)).rejects.toMatchObject({ name: 'ReadModelsUnavailable' });
    nodes.projecting.beforeCommit = () => undefined;
    held.open();
    nodes.waitFor(PATIENT_MS);
    await expect(nodes.one.deleteDefinition(definitionId)).rejects.toMatchObject({ code: 'DEFINITION_MEASURED_DELETE' });
    expect(await nodes.two.queries.metrics.find({ projectId, installationId }, recorded.metricId)).toMatchObject({ definitionId });
  });

  it('a metric is refused from the log if what it refers to is gone', async () => {
    const { installationId, definitionId } = await furnished();
    const stopped = stopBefore(nodes.two, 'MetricRecorded');
    const recording = nodes.two.record(installationId, definitionId).catch((error: unknown) => error);
    await stopped.reached;
    await nodes.one.deleteDefinition(definitionId);
    const held = gate();
    nodes.waitFor(200);
    nodes.projecting.beforeCommit = (projection) => (projection === 'accounting.metrics' ? held.stop() : undefined);
    stopped.open();
    expect(await recording).toMatchObject({ code: 'DEFINITION_NOT_FOUND' });
    nodes.projecting.beforeCommit = () => undefined;
    held.open();
  });
});
