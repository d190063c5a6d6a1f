import { join } from 'node:path';
import { dateOf, exportFile, ObjectIds } from './export-file.js';
import type { Random } from './random.js';
import { type Size, usersOf } from './size.js';

const INSTALLATIONS_PER_PROJECT = 10;
const METRICS_PER_INSTALLATION = 1_000;

type Installation = Readonly<{ project: string; acronym: string; provider: string; id: string; name: string }>;
type Catalogue = Readonly<{
  definitions: readonly Readonly<{ _id: Readonly<{ $oid: string }> }>[];
  resources: readonly Readonly<{ _id: string }>[];
}>;

const ISSUER = 'https://idp.example.org/realm';
const creatorId = 'made-up';

const providerOf = (index: number) => ({
  _id: `provider-${index}`,
  name: `Provider ${index}`,
  website: `https://provider-${index}.example.org`,
  abbreviation: `P${index}`,
  logo: `https://provider-${index}.example.org/logo.png`,
  creatorId,
});
type Provider = ReturnType<typeof providerOf>;

const definitionOf = (ids: ObjectIds, metric_name: string) => ({
  _id: ids.make(),
  creatorId,
  metric_name,
  metric_description: `${metric_name} of an installation`,
  unit_type: 'TB',
  metric_type: 'aggregated',
});

const installationOf = ({ project, provider, id, name }: Installation, { definitions, resources }: Catalogue, random: Random) => ({
  _id: id,
  creatorId,
  project,
  organisation: provider,
  infrastructure: 'cloud',
  installation: name,
  resource: random.pick(resources)._id,
  unit_of_access: random.pick(definitions)._id,
});

const projectOf = (index: number, provider: Provider, installations: readonly object[]) => ({
  _id: String(700_000 + index),
  acronym: `DEMO${index}`,
  title: `Demo project ${index}`,
  start_date: '2020-01-01',
  end_date: '2030-12-31',
  call_identifier: `CALL-${index}`,
  providers: [{ ...provider, installations }],
});

type Making = Readonly<{ size: Size; random: Random; ids: ObjectIds; catalogue: Catalogue }>;

function* metrics({ size, random, ids, catalogue: { definitions } }: Making, installations: readonly Installation[]): Generator<object> {
  for (let index = 0; index < size.metrics; index++) {
    const installation = installations[Math.floor(index / METRICS_PER_INSTALLATION) % installations.length];
    if (!installation) return;
    const { project, acronym, provider, id, name } = installation;
    const day = index % size.days;
    yield {
      _id: ids.make(),
      creatorId,
      resource_id: `${project}.${provider}.${id}`,
      metric_definition_id: random.pick(definitions)._id.$oid,
      time_period_start: dateOf(day),
      time_period_end: dateOf(day, 86_399_000),
      value: random.below(100_000) / 10,
      project: acronym,
      provider,
      installation: name,
      infrastructure: 'cloud',
      project_id: project,
      installation_id: id,
      user_id: `u${index % 1_000}`,
    };
  }
}

function* actors({ size, ids }: Making): Generator<object> {
  for (let index = 0; index < usersOf(size).accounting; index++)
    yield {
      _id: ids.text(),
      name: `Person ${index}`,
      email: `person-${index}@example.org`,
      registered_on: dateOf(index % size.days),
      issuer: ISSUER,
      oidc_id: `subject-${index}`,
    };
}

/** A made-up export of the accounting service. @returns documents by collection */
export const makeAccounting = async (root: string, size: Size, random: Random): Promise<Readonly<Record<string, number>>> => {
  const directory = join(root, 'accounting', 'accounting-system');
  const ids = new ObjectIds(2);
  const definitions = ['used_space', 'cpu_hours', 'transfers'].map((name) => definitionOf(ids, name));
  const resources = ['storage', 'compute'].map((name) => ({ _id: ids.text(), creatorId, name }));
  const providers = Array.from({ length: 20 }, (_, index) => providerOf(index));
  const making = { size, random, ids, catalogue: { definitions, resources } };
  const installations: Installation[] = [];
  const count = Math.max(1, Math.ceil(size.metrics / METRICS_PER_INSTALLATION / INSTALLATIONS_PER_PROJECT));
  const projects = Array.from({ length: count }, (_, index) => {
    const provider = random.pick(providers);
    const [project, acronym] = [String(700_000 + index), `DEMO${index}`];
    const own = Array.from({ length: INSTALLATIONS_PER_PROJECT }, (_, number) => {
      const installation = { project, acronym, provider: provider._id, id: ids.text(), name: `node-${number}` };
      installations.push(installation);
      return installationOf(installation, making.catalogue, random);
    });
    return projectOf(index, provider, own);
  });
  const unit = { _id: ids.make(), creatorId: '', unit: 'TB', description: 'terabyte' };
  return {
    UnitType: await exportFile(directory, 'UnitType', [unit]),
    MetricType: await exportFile(directory, 'MetricType', [{ _id: ids.make(), creatorId: '', metricType: 'aggregated' }]),
    MetricDefinition: await exportFile(directory, 'MetricDefinition', definitions),
    Resource: await exportFile(directory, 'Resource', resources),
    Provider: await exportFile(directory, 'Provider', providers),
    Project: await exportFile(directory, 'Project', projects),
    Metric: await exportFile(directory, 'Metric', metrics(making, installations)),
    Actor: await exportFile(directory, 'Actor', actors(making)),
  };
};
