import { operationsProfiles } from '#domain/status/dated-records/operations-profiles.js';
import { weights } from '#domain/status/dated-records/weights.js';
import { accountingHeaders, addInstallations, type BenchInstallation } from './inputs/accounting-data.js';
import { addTenant, appendSnapshots, type BenchTenant, dayAt, operationsProfile, snapshotsOf } from './inputs/status-data.js';
import type { Installation } from './installation.js';
import { CONNECTIONS, type LoadRequest } from './load.js';
import { record } from './scenarios/accounting-usage.js';
import { ackIdsIn, bodyOf, call, post } from './scenarios/messaging-traffic.js';
import { wideWeights, write } from './scenarios/status-creations.js';
import type { Child } from './servers/child.js';

/** What callers of an installation do. A step is one request, or several that follow each other. */
export type Step =
  | 'read a record'
  | 'read a dated record'
  | 'list ten records'
  | 'page of metrics'
  | 'update a record'
  | 'record a metric'
  | 'publish'
  | 'pull and acknowledge';

/** How often each step is done, as weights. */
export type Mix<Name extends string = Step> = Readonly<Partial<Record<Name, number>>>;

/** Tenants, projects and installations on which everything can be done. */
export type MixedWorld<Name extends string = Step> = Readonly<{ requests(step: Name, connection: number): readonly LoadRequest[] }>;

const TENANTS = 8;
const [RECORDS, PROFILES, VERSIONS] = [40, 10, 20];
/** Has topics and subscriptions of the same names. */
export const PROJECT = '/v1/projects/mixed';
const PULLED = 100;

type Tenant = Readonly<{ tenant: BenchTenant; records: readonly string[]; profiles: readonly string[] }>;

const idsOf = (snapshots: ReturnType<typeof snapshotsOf>): readonly string[] => [...new Set(snapshots.map(({ id }) => id))];

const addRecords = async (installation: Installation) =>
  installation.withRuntime(async (runtime) => {
    const tenants: Tenant[] = [];
    for (let index = 0; index < TENANTS; index++) {
      const tenant = await addTenant(runtime);
      const [records, profiles] = [snapshotsOf(wideWeights, RECORDS, 1), snapshotsOf(operationsProfile, PROFILES, VERSIONS)];
      await appendSnapshots(runtime, weights, tenant, records);
      await appendSnapshots(runtime, operationsProfiles, tenant, profiles);
      tenants.push({ tenant, records: idsOf(records), profiles: idsOf(profiles) });
    }
    return { tenants, installations: await addInstallations(runtime, CONNECTIONS) };
  });

/** A topic and a subscription for each connection. */
const addTopics = async (server: Child): Promise<void> => {
  await call(server, 'POST', PROJECT);
  for (let index = 0; index < CONNECTIONS; index++) {
    await call(server, 'PUT', `${PROJECT}/topics/n${index}`);
    await call(
      server,
      'PUT',
      `${PROJECT}/subscriptions/n${index}`,
      JSON.stringify({ topic: `${PROJECT.slice('/v1/'.length)}/topics/n${index}` }),
    );
  }
};

/** Pulls what there is, and acknowledges it; when it is nothing: publishes instead. */
const pullAndAcknowledge = (name: string): readonly LoadRequest[] => {
  let ackIds: readonly string[] = [];
  const path = `${PROJECT}/subscriptions/${name}`;
  const accepts = (body: string): boolean => {
    ackIds = ackIdsIn(body);
    return true;
  };
  const acknowledgement = () => {
    const body = JSON.stringify({ ackIds });
    const sent = ackIds.length > 0 ? { body } : { path: `${PROJECT}/topics/${name}:publish`, body: bodyOf(1) };
    ackIds = [];
    return sent;
  };
  return [
    { ...post(`${path}:pull`, JSON.stringify({ maxMessages: `${PULLED}` })), accepts },
    { ...post(`${path}:acknowledge`, ''), vary: acknowledgement },
  ];
};

/** One of several, in turn, beginning with that of the connection. */
const inTurn = (paths: readonly string[], connection: number): (() => { path: string }) => {
  let next = connection;
  return () => ({ path: paths[next++ % paths.length] ?? '' });
};

const reading = (paths: readonly string[], connection: number, headers: Readonly<Record<string, string>>): readonly LoadRequest[] => {
  const vary = inTurn(paths, connection);
  return [{ method: 'GET', ...vary(), headers, vary }];
};

const updating = ({ tenant, records }: Tenant, connection: number): readonly LoadRequest[] => {
  const request = write('PUT', tenant, '');
  const path = inTurn(
    records.map((id) => `/api/v2/weights/${id}?date=${dayAt(0)}`),
    connection,
  );
  return [{ ...request, ...path(), vary: () => ({ ...request.vary?.(), ...path() }) }];
};

type Places = Readonly<{ tenants: readonly Tenant[]; installations: readonly BenchInstallation[] }>;

const requestsOf = ({ tenants, installations }: Places, step: Step, connection: number): readonly LoadRequest[] => {
  const tenant = tenants[connection % TENANTS] as Tenant;
  const place = installations[connection] as BenchInstallation;
  const { headers } = tenant.tenant;
  const profiles = tenant.profiles.map((id) => `/api/v2/operations_profiles/${id}`);
  switch (step) {
    case 'read a record':
      return reading([...tenant.records.map((id) => `/api/v2/weights/${id}?date=${dayAt(0)}`), ...profiles], connection, headers);
    case 'read a dated record':
      return reading(
        profiles.map((path, index) => `${path}?date=${dayAt(index)}`),
        connection,
        headers,
      );
    case 'list ten records':
      return reading(['/api/v2/operations_profiles'], connection, headers);
    case 'page of metrics':
      return reading([`/accounting-system/installations/${place.installationId}/metrics?page=1&size=50`], connection, accountingHeaders);
    case 'update a record':
      return updating(tenant, connection);
    case 'record a metric':
      return [record(place)];
    case 'publish':
      return [post(`${PROJECT}/topics/n${connection}:publish`, bodyOf(1))];
    case 'pull and acknowledge':
      return pullAndAcknowledge(`n${connection}`);
  }
};

/** Puts everything into a new installation and starts its server. @param serve what answers; default: one server that does everything */
export const openMixedWorld = async (installation: Installation, serve = () => installation.serve()) => {
  const places = await addRecords(installation);
  const server = await serve();
  await addTopics(server);
  const world: MixedWorld = { requests: (step, connection) => requestsOf(places, step, connection) };
  return { server, world, tenants: places.tenants.map(({ tenant }) => tenant) };
};

/** Steps in an order in which each comes as evenly as its weight allows. */
export const spread = <Name extends string>(mix: Mix<Name>): readonly Name[] =>
  (Object.entries(mix) as [Name, number][])
    .flatMap(([step, count], kind) => Array.from({ length: count }, (_, index) => ({ step, at: (index + 0.5 + kind / 100) / count })))
    .sort((left, right) => left.at - right.at)
    .map(({ step }) => step);

/** What a connection does, over and over; each begins at another place of the order. */
export const mixedRequests = <Name extends string>(world: MixedWorld<Name>, mix: Mix<Name>, connection: number): readonly LoadRequest[] => {
  const order = spread(mix);
  const first = Math.floor((order.length * connection) / CONNECTIONS);
  const requests = new Map((Object.keys(mix) as Name[]).map((step) => [step, world.requests(step, connection)] as const));
  return [...order.slice(first), ...order.slice(0, first)].flatMap((step) => requests.get(step) ?? []);
};

/** Of 200 requests 70 % read, 15 % write records and metrics, 10 % publish, 5 % pull and acknowledge. */
export const MIXED: Mix = {
  'read a record': 104,
  'read a dated record': 30,
  'list ten records': 5,
  'page of metrics': 1,
  'update a record': 20,
  'record a metric': 10,
  publish: 20,
  'pull and acknowledge': 5,
};
