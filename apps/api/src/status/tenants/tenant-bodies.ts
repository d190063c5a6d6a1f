import { randomUUID } from 'node:crypto';
import { dictionary, flag, type Infer, integer, integer64, list, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { EngineStatus } from '#domain/status/tenants/engine-status.js';
import type { ApiKey, TenantUser } from '#domain/status/tenants/tenants.js';
import { hashCredential } from '#infra/secrets/hash-credential.js';

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

/** `total_status` is worked out, whatever a body says. */
export const engineStatusBody: Shape<EngineStatus & Readonly<{ total_status: boolean }>> = struct({
  total_status: flag,
  ams: struct({ metric_data: messaging, sync_data: messaging }),
  hdfs: struct({ metric_data: flag, sync_data: dictionary(dictionary(flag)) }),
  engine_config: flag,
  last_check: text,
});

export const apiKeyOf = (apiKey: string): ApiKey => ({ apiKey, apiKeyHash: hashCredential(apiKey) });

/** A user as a command takes it: with an id of its own, and with a generated key unless it brings one. */
export const newUser = ({ name, email, api_key, roles }: Infer<typeof userBody>): TenantUser => ({
  userId: randomUUID(),
  name,
  email,
  roles,
  ...apiKeyOf(api_key || newKey()),
});
