import {
  described,
  dictionaryInOrder,
  due,
  flag,
  type Infer,
  integer,
  integer64,
  list,
  mapped,
  named,
  type Shape,
  struct,
  text,
  unsaid,
} from '#api/shared/bodies/body-shape.js';
import { dueText, textOf, worded } from '#api/status/bodies.js';
import { doc } from '#domain/shared/shape.js';
import { byBytes } from '#domain/shared/text/text-order.js';
import type { EngineStatus } from '#domain/status/tenants/engine-status.js';
import type { Readiness } from '#domain/status/tenants/readiness.js';
import type { NewUser, TenantData } from './commands.js';

const USER = {
  id: unsaid(text),
  name: text,
  email: text,
  roles: worded(list(text), 'a user without roles is refused everything'),
  component: text,
};
export const newUserBody = named('StatusNewUser', struct({ ...USER, api_key: unsaid(text) }), 'The key is generated');
export const userChangeBody = named('StatusUserChange', struct({ ...USER, api_key: text }), 'Empty members change nothing');
const userOfTenant = named(
  'StatusUserOfTenantRequest',
  struct({ ...USER, api_key: textOf('unique in the service; of a new tenant generated when it is left out') }),
);
export type UserBody = Infer<typeof newUserBody>;

export const info = named(
  'StatusTenantInfoRequest',
  struct({
    name: dueText('unique in the service'),
    email: text,
    description: text,
    image: text,
    website: text,
    created: unsaid(text),
    updated: unsaid(text),
  }),
);
export const database = named(
  'StatusTenantDatabaseRequest',
  struct({ store: text, server: text, port: integer, database: text, username: text, password: text }),
);
export const topology = named('StatusTenantTopologyRequest', struct({ type: text, feed: text }));

/** Ids and times in a body are checked for their type and otherwise ignored. */
export const tenantBody = named(
  'StatusTenantRequest',
  struct({
    id: unsaid(text),
    info: due(info),
    db_conf: list(database),
    topology,
    users: worded(list(userOfTenant), 'an update keeps those whose key is in the list'),
  }),
);

export const infoBody = named('StatusTenantInfoChange', struct({ info: due(info) }));
export const databasesBody = named('StatusTenantDatabasesChange', struct({ db_conf: due(list(database)) }));
export const topologyBody = named('StatusTenantTopologyChange', struct({ topology: due(topology) }));

const ready = named('StatusReadyRequest', struct({ ready: flag, message: text }));
export const readinessBody: Shape<Readiness> = named(
  'StatusReadinessRequest',
  struct({ data: ready, topology: ready, reports: ready, last_check: text }),
);

export const ingestion = named(
  'StatusIngestionRequest',
  struct({ ingestion: flag, publishing: flag, status_streaming: flag, messages_arrived: integer64 }),
);
export const SYNCHRONIZED = doc(
  { '*': { '*': 'flag' } },
  'by report: what is there, such as `downtimes`, `group_endpoints`, `metric_profile`',
);

/** Engine statuses by report, in the order of the names; also as JSON if an object, or an answer made of it, does not keep that order. */
const synchronized = (sent: ReadonlyMap<string, ReadonlyMap<string, boolean>>): Pick<EngineStatus['hdfs'], 'sync_data' | 'sync_json'> => {
  const reports = [...sent].sort(([left], [right]) => byBytes(left, right));
  const sync_data = Object.fromEntries(reports.map(([report, inputs]) => [report, Object.fromEntries(inputs)]));
  const jsonOf = (members: readonly (readonly [name: string, json: string])[]): string =>
    `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
  const sync_json = jsonOf(reports.map(([report, inputs]) => [report, jsonOf([...inputs].map(([name, there]) => [name, `${there}`]))]));
  const isKept = sync_json === JSON.stringify(sync_data) && !/"\d+":/.test(sync_json);
  return isKept ? { sync_data } : { sync_data, sync_json };
};

const computation = struct({ metric_data: flag, sync_data: described(dictionaryInOrder(dictionaryInOrder(flag)), SYNCHRONIZED) });

/** `total_status` is derived from the other members; its value in a body is ignored. */
export const engineStatusBody: Shape<EngineStatus & Readonly<{ total_status: boolean }>> = named(
  'StatusEngineStatusRequest',
  struct({
    total_status: unsaid(flag),
    ams: struct({ metric_data: ingestion, sync_data: ingestion }),
    hdfs: mapped(computation, ({ metric_data, sync_data }) => ({ metric_data, ...synchronized(sync_data) })),
    engine_config: flag,
    last_check: text,
  }),
);

export const userIn = ({ name, email, roles, component, api_key }: UserBody): NewUser => ({
  name,
  email,
  roles,
  ...(component && { component }),
  apiKey: api_key,
});

export const tenantIn = ({ info, db_conf, topology, users }: Infer<typeof tenantBody>): TenantData => ({
  info,
  databases: db_conf,
  topology,
  users: users.map(userIn),
});
