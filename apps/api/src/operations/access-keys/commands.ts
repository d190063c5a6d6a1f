import { randomUUID } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import { newKey } from '#api/shared/commands/new-key.js';
import {
  ACCESS_KEYS_STREAM,
  type AccessKeyCommand,
  type AccessKeyEvent,
  accessKeys,
  type KeyService,
} from '#domain/operations/access-keys.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { type AccessKeyDocument, AccessKeyQueries } from '#projections/operations/access-keys/queries.js';

/** The keys in force. Looking at them is on record. */
export class ListAccessKeys extends Command<readonly AccessKeyDocument[]> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

/** `key`: shown this once; a repeated request finds the key it made before, which nobody can be shown again. */
export type IssuedKey = Readonly<{ id: string; key?: string }>;

/** Makes a key for a role of a service. Rejects with `KEY_TAKEN`. */
export class IssueAccessKey extends Command<IssuedKey> {
  constructor(
    readonly context: CommandContext,
    readonly service: KeyService,
    readonly role: string,
    readonly name: string,
  ) {
    super();
  }
}

/** Makes a key worthless at once. Rejects with `KEY_NOT_FOUND`. */
export class RevokeAccessKey extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly keyId: string,
  ) {
    super();
  }
}

const execute = (gateway: CommandGateway, command: AccessKeyCommand, context: CommandContext): Promise<Outcome<AccessKeyEvent>> =>
  gateway.execute({ stream: ACCESS_KEYS_STREAM, decider: accessKeys, command, context });

@CommandHandler(ListAccessKeys)
class ListAccessKeysHandler implements ICommandHandler<ListAccessKeys> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly queries: AccessKeyQueries,
  ) {}

  async execute({ context }: ListAccessKeys): Promise<readonly AccessKeyDocument[]> {
    await execute(this.gateway, { type: 'ListKeys' }, context);
    return this.queries.all();
  }
}

@CommandHandler(IssueAccessKey)
class IssueAccessKeyHandler implements ICommandHandler<IssueAccessKey> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly credentialHashes: CredentialHashes,
  ) {}

  async execute({ context, service, role, name }: IssueAccessKey): Promise<IssuedKey> {
    const key = newKey();
    const keyHash = this.credentialHashes.of(key);
    const command = { type: 'IssueKey', key: { keyId: randomUUID(), service, roles: [role], name, keyHash } } as const;
    const [issued] = (await execute(this.gateway, command, context)).events;
    if (issued?.type !== 'AccessKeyIssued') throw new Error('a new key made no event');
    const { keyId } = issued.data;
    return issued.data.keyHash === keyHash ? { id: keyId, key } : { id: keyId };
  }
}

@CommandHandler(RevokeAccessKey)
class RevokeAccessKeyHandler implements ICommandHandler<RevokeAccessKey> {
  constructor(private readonly gateway: CommandGateway) {}

  async execute({ context, keyId }: RevokeAccessKey): Promise<void> {
    await execute(this.gateway, { type: 'RevokeKey', keyId }, context);
  }
}

export const accessKeyHandlers = [ListAccessKeysHandler, IssueAccessKeyHandler, RevokeAccessKeyHandler];
