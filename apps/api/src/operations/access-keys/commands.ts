import { randomUUID } from 'node:crypto';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import { commandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { ACCESS_KEYS_STREAM, accessKeys, type KeyService } from '#domain/operations/access-keys.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccessKeyQueries } from '#projections/operations/access-keys/queries.js';

const toKeys = toStreams(accessKeys, () => ACCESS_KEYS_STREAM);

/** The valid keys. The read is recorded. */
export class ListAccessKeys extends commandWith([ReadTrail, AccessKeyQueries], async (_data: undefined, { context }, reads, queries) => {
  await reads.record({ type: 'AccessKeysListed', data: {} }, context);
  return queries.all();
}) {}

/**
 * Creates a key for a role of a service. `key`: shown only once; a repeated request finds the key that it made before, without its text.
 * Rejects with `KEY_TAKEN`.
 */
export class IssueAccessKey extends commandWith(
  [CredentialHashes],
  async ({ service, role, name }: Readonly<{ service: KeyService; role: string; name: string }>, { context, gateway }, hashes) => {
    const key = newKey();
    const keyHash = hashes.of(key);
    const command = { type: 'IssueKey', key: { keyId: randomUUID(), service, roles: [role], name, keyHash } } as const;
    const { events, readable } = await gateway.execute(toKeys(context, command));
    const { keyId: id, keyHash: issued } = eventOf(events, 'AccessKeyIssued').data;
    return { id, readable, ...(issued === keyHash && { key }) };
  },
) {}

/** Revokes a key, which stops working at once. Rejects with `KEY_NOT_FOUND`. */
export class RevokeAccessKey extends commandWith([], ({ keyId }: Readonly<{ keyId: string }>, { context, gateway }) =>
  gateway.execute(toKeys(context, { type: 'RevokeKey', keyId })),
) {}
