import { dictionary, flag, type Infer, integer, integer64, list, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import type { EngineStatus } from '#domain/status/tenants/engine-status.js';
import type { Readiness } from '#domain/status/tenants/readiness.js';
import type { NewUser, TenantData } from './commands.js';

export const userBody = struct({ id: text, name: text, email: text, api_key: text, roles: list(text), component: text });

const info = struct({ name: text, email: text, description: text, image: text, website: text, created: text, updated: text });
const databases = list(struct({ store: text, server: text, port: integer, database: text, username: text, password: text }));
const topology = struct({ type: text, feed: text });

/** Ids and times in a body are checked for their type and otherwise ignored. */
export const tenantBody = struct({
  id: text,
  info,
  db_conf: databases,
  topology,
  users: list(userBody),
});

export const infoBody = struct({ info });
export const databasesBody = struct({ db_conf: databases });
export const topologyBody = struct({ topology });

const ready = struct({ ready: flag, message: text });
export const readinessBody: Shape<Readiness> = struct({ data: ready, topology: ready, reports: ready, last_check: text });

const messaging = struct({ ingestion: flag, publishing: flag, status_streaming: flag, messages_arrived: integer64 });

/** `total_status` follows from the other members, whatever a body says. */
export const engineStatusBody: Shape<EngineStatus & Readonly<{ total_status: boolean }>> = struct({
  total_status: flag,
  ams: struct({ metric_data: messaging, sync_data: messaging }),
  hdfs: struct({ metric_data: flag, sync_data: dictionary(dictionary(flag)) }),
  engine_config: flag,
  last_check: text,
});

export const userIn = ({ name, email, roles, component, api_key }: Infer<typeof userBody>): NewUser => ({
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
