import type { RecordRef } from '#test/faults/history.js';
import { SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { Client, Task } from './client.js';
import { contendedName, idIn, Pool } from './pool.js';

/** Records that refer to each other, and removals of what is referred to at the same moment. */

export const PROJECT = 'faults';
/** Never removed, so that there is always something to measure. */
export const BASE_PROVIDER = 'provider-base';
export const BASE = '/accounting-system';
export const READ_HEADERS = { authorization: `Bearer ${SYSTEM_ADMIN}` };
const HEADERS = { ...READ_HEADERS, 'content-type': 'application/json' };

const member = (json: unknown, name: string): string => (json as Record<string, string>)[name] ?? '';

const post = (path: string, body: unknown) => ({ method: 'POST', path: `${BASE}${path}`, headers: HEADERS, body }) as const;

const createUnit = (name: string): Task => ({
  operation: { kind: 'create', scope: 'units', name, refersTo: [] },
  request: post('/unit-types', { unit_type: name, description: 'made by a fault run' }),
  read: (json) => ({ record: `unit:${member(json, 'id')}` }),
});

const createDefinition = (name: string, unit: Readonly<{ name: string; record?: RecordRef }>): Task => ({
  operation: { kind: 'create', scope: 'definitions', name: `${unit.name}/${name}`, refersTo: unit.record ? [unit.record] : [] },
  request: post('/metric-definitions', { metric_name: name, metric_type: 'count', unit_type: unit.name }),
  read: (json) => ({ record: `definition:${member(json, 'metric_definition_id')}` }),
});

const createInstallation = (name: string, provider: string, refersTo: readonly RecordRef[]): Task => ({
  operation: { kind: 'create', scope: 'installations', name: `${provider}/${name}`, refersTo },
  request: post('/installations', { project: PROJECT, organisation: provider, infrastructure: 'i', installation: name }),
  read: (json) => ({ record: `installation:${member(json, 'id')}` }),
});

const createMetric = (label: string, installation: RecordRef, definition: RecordRef): Task => ({
  operation: { kind: 'create', scope: 'metrics', name: label, refersTo: [installation, definition] },
  request: post(`/installations/${idIn(installation)}/metrics`, {
    metric_definition_id: idIn(definition),
    time_period_start: '2024-01-01T00:00:00Z',
    time_period_end: '2024-01-02T00:00:00Z',
    value: 1,
    group_id: label,
  }),
  read: (json) => ({ record: `metric:${member(json, 'metric_id')}` }),
});

const createProvider = (id: string): Task => ({
  operation: { kind: 'create', scope: 'providers', name: id, refersTo: [] },
  request: post('/providers', { id, name: `name of ${id}` }),
  read: () => ({ record: `provider:${id}` }),
});

const associate = (provider: string): Task => ({
  operation: { kind: 'create', scope: 'associations', name: provider, refersTo: [`provider:${provider}`] },
  request: post(`/projects/${PROJECT}/associate/provider/${provider}`, undefined),
  read: () => ({ record: `association:${provider}` }),
});

const dissociate = (association: RecordRef): Task => ({
  operation: { kind: 'remove', record: association },
  request: post(`/projects/${PROJECT}/dissociate/provider/${idIn(association)}`, undefined),
});

const PATHS: Readonly<Record<string, string>> = {
  unit: '/unit-types',
  definition: '/metric-definitions',
  installation: '/installations',
  provider: '/providers',
};

const pathOf = (record: RecordRef): string => `${BASE}${PATHS[record.slice(0, record.indexOf(':'))]}/${idIn(record)}`;

const remove = (record: RecordRef): Task => ({
  operation: { kind: 'remove', record },
  request: { method: 'DELETE', path: pathOf(record), headers: READ_HEADERS },
});

const removeMetric = (metric: RecordRef, installation: RecordRef): Task => ({
  operation: { kind: 'remove', record: metric },
  request: { method: 'DELETE', path: `${BASE}/installations/${idIn(installation)}/metrics/${idIn(metric)}`, headers: READ_HEADERS },
});

export const look = (record: RecordRef): Task => ({
  operation: { kind: 'look', record },
  request: { method: 'GET', path: pathOf(record), headers: READ_HEADERS },
});

/** What clients of a run share. */
export type AccountingWorld = {
  readonly units: Pool;
  readonly unitNames: Map<RecordRef, string>;
  readonly definitions: Pool;
  readonly installations: Pool;
  readonly metrics: Pool;
  readonly placeOfMetric: Map<RecordRef, RecordRef>;
  readonly providers: Pool;
  /** Those that nobody has associated yet. */
  readonly freshProviders: Pool;
  readonly associations: Pool;
};

export const accountingWorld = (): AccountingWorld => ({
  units: new Pool(3),
  unitNames: new Map(),
  definitions: new Pool(4),
  installations: new Pool(4),
  metrics: new Pool(20),
  placeOfMetric: new Map(),
  providers: new Pool(2),
  freshProviders: new Pool(4),
  associations: new Pool(2),
});

type Step = (client: Client, world: AccountingWorld) => Promise<unknown>;

const write = (client: Client, task: Task) => (client.random.chance(0.7) ? client.keyed(task) : client.once(task));

const makeUnit: Step = async (client, world) => {
  const name = client.random.chance(0.5) ? contendedName('unit', 2_000) : `unit-of-${client.name}-${client.recorder.number()}`;
  const { told } = await write(client, createUnit(name));
  if (!told.record) return;
  world.unitNames.set(told.record, name);
  world.units.add(told.record);
};

const makeDefinition: Step = async (client, world) => {
  const unit = client.random.chance(0.5) ? world.units.pick(client.random) : undefined;
  const name = client.random.chance(0.4) ? contendedName('definition', 1_500) : `definition-${client.recorder.number()}`;
  const of = unit ? { name: world.unitNames.get(unit) ?? '', record: unit } : { name: 'TB' };
  const { told } = await write(client, createDefinition(name, of));
  world.definitions.add(told.record);
  if (told.record) await client.once(look(told.record));
};

const makeInstallation: Step = async (client, world) => {
  const association = client.random.chance(0.6) ? world.associations.pick(client.random) : undefined;
  const provider = association ? idIn(association) : BASE_PROVIDER;
  const name = client.random.chance(0.3) ? contendedName('vm', 1_500) : `vm-${client.recorder.number()}`;
  const { told } = await write(client, createInstallation(name, provider, association ? [association] : []));
  world.installations.add(told.record);
};

const measure: Step = async (client, world) => {
  const [installation, definition] = [world.installations.pick(client.random), world.definitions.pick(client.random)];
  if (!installation || !definition) return;
  const { told } = await write(client, createMetric(`metric-${client.recorder.number()}`, installation, definition));
  if (!told.record) return;
  world.metrics.add(told.record);
  world.placeOfMetric.set(told.record, installation);
};

const makeProvider: Step = async (client, world) => {
  const { told } = await write(client, createProvider(`provider-${client.recorder.number()}`));
  world.providers.add(told.record);
  world.freshProviders.add(told.record);
};

/** Each provider once, so that an association that has gone does not come back. */
const associateOne: Step = async (client, world) => {
  const provider = world.freshProviders.pick(client.random);
  if (!provider) return;
  world.freshProviders.drop(provider);
  const { told } = await write(client, associate(idIn(provider)));
  world.associations.add(told.record);
};

const removeOne: Step = async (client, world) => {
  const { units, definitions, installations, providers, associations, metrics } = world;
  const pool = client.random.pick([units, definitions, definitions, installations, providers, associations, metrics]);
  const record = pool.pick(client.random);
  if (!record) return;
  const place = world.placeOfMetric.get(record);
  const task = place ? removeMetric(record, place) : pool === associations ? dissociate(record) : remove(record);
  const { outcome } = await client.once(task);
  if (outcome === 'done' || outcome === 'absent') pool.drop(record);
};

const lookAtOne: Step = async (client, world) => {
  const record = client.random.pick([world.units, world.definitions, world.installations, world.providers]).pick(client.random);
  if (record) await client.once(look(record));
};

/** The next thing that a client of the accounting service does. */
export const accountingStep = async (client: Client, world: AccountingWorld): Promise<void> => {
  const step = client.random.weighted<Step>([
    [1, makeUnit],
    [3, makeDefinition],
    [2, makeInstallation],
    [6, measure],
    [1, makeProvider],
    [1.5, associateOne],
    [4, removeOne],
    [3, lookAtOne],
  ]);
  await step(client, world);
};
