import { randomUUID } from 'node:crypto';
import type { Provider } from '@nestjs/common';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { CommandWith } from '#api/shared/commands/command-of.js';
import { eventOf } from '#api/shared/commands/event-of.js';
import { handles, toStreams } from '#api/shared/commands/handlers.js';
import { newKey } from '#api/shared/commands/new-key.js';
import { ACCESS_KEYS_STREAM, accessKeys, type KeyService } from '#domain/operations/access-keys.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { type AccessKeyDocument, AccessKeyQueries } from '#projections/operations/access-keys/queries.js';

/** The valid keys. The read is recorded. */
export class ListAccessKeys extends CommandWith<void, readonly AccessKeyDocument[]> {}

/** `key`: shown only once. A repeated request finds the key that it made before, without its text. */
type IssuedKey = Readonly<{ id: string; key?: string }>;

/** Creates a key for a role of a service. Rejects with `KEY_TAKEN`. */
export class IssueAccessKey extends CommandWith<Readonly<{ service: KeyService; role: string; name: string }>, IssuedKey> {}

/** Revokes a key, which stops working at once. Rejects with `KEY_NOT_FOUND`. */
export class RevokeAccessKey extends CommandWith<Readonly<{ keyId: string }>, void> {}

const toKeys = toStreams(accessKeys, () => ACCESS_KEYS_STREAM);

export const accessKeyHandlers: readonly Provider[] = [
  handles(ListAccessKeys, [ReadTrail, AccessKeyQueries], async ({ context }, reads, queries) => {
    await reads.record({ type: 'AccessKeysListed', data: {} }, context);
    return queries.all();
  }),

  handles(IssueAccessKey, [CommandGateway, CredentialHashes], async ({ context, data: { service, role, name } }, gateway, hashes) => {
    const key = newKey();
    const keyHash = hashes.of(key);
    const command = { type: 'IssueKey', key: { keyId: randomUUID(), service, roles: [role], name, keyHash } } as const;
    const { events } = await gateway.execute(toKeys(context, command));
    const { keyId: id, keyHash: issued } = eventOf(events, 'AccessKeyIssued').data;
    return issued === keyHash ? { id, key } : { id };
  }),

  handles(RevokeAccessKey, [CommandGateway], async ({ context, data: { keyId } }, gateway) => {
    await gateway.execute(toKeys(context, { type: 'RevokeKey', keyId }));
  }),
];
