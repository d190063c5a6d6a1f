import { dictionary, flag, type Infer, integer, integer64, list, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import type { EngineStatus } from '#domain/status/tenants/engine-status.js';
import type { NewUser, TenantData } from './commands.js';

export const userBody = struct({ id: text, name: text, email: text, api_key: text, roles: list(text) });

/** Ids and times in a body are checked for their type and otherwise ignored. */
export const tenantBody = struct({
  id: text,
  info: struct({ name: text, email: text, description: text, image: text, website: text, created: text, updated: text }),
  db_conf: list(struct({ store: text, server: text, port: integer, database: text, username: text, password: text })),
  topology: struct({ type: text, feed: text }),
  users: list(userBody),
});

const messaging = struct({ ingestion: flag, publishing: flag, status_streaming: flag, messages_arrived: integer64 });

/** `total_status` follows from the other members, whatever a body says. */
export const engineStatusBody: Shape<EngineStatus & Readonly<{ total_status: boolean }>> = struct({
  total_status: flag,
  ams: struct({ metric_data: messaging, sync_data: messaging }),
  hdfs: struct({ metric_data: flag, sync_data: dictionary(dictionary(flag)) }),
  engine_config: flag,
  last_check: text,
});

export const userIn = ({ name, email, roles, api_key }: Infer<typeof userBody>): NewUser => ({ name, email, roles, apiKey: api_key });

export const tenantIn = ({ info, db_conf, topology, users }: Infer<typeof tenantBody>): TenantData => ({
  info,
  databases: db_conf,
  topology,
  users: users.map(userIn),
});
