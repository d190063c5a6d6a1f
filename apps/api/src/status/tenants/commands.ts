import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { Created, WriteOutcome } from '#api/status/written.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { EngineStatus } from '#domain/status/tenants/engine-status.js';
import { tenants } from '#domain/status/tenants/tenant-rules.js';
import {
  type ApiKey,
  type DatabaseConfiguration,
  TENANTS_STREAM,
  type TenantCommand,
  type TenantInfo,
  type TenantUser,
  type Topology,
  tenantSubject,
  type UserProfile,
} from '#domain/status/tenants/tenants.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';

/** A user as callers describe it; an empty `apiKey` asks for a generated one. */
export type NewUser = UserProfile & Readonly<{ apiKey: string }>;

/** A tenant as callers describe it. */
export type TenantData = Readonly<{
  info: TenantInfo;
  databases: readonly DatabaseConfiguration[];
  topology: Topology;
  users: readonly NewUser[];
}>;

export const apiKeyOf = (apiKey: string, hashes: CredentialHashes): ApiKey => ({ apiKey, apiKeyHash: hashes.of(apiKey) });

const tenantUser = ({ apiKey, ...profile }: NewUser, hashes: CredentialHashes): TenantUser => ({
  userId: randomUUID(),
  ...profile,
  ...apiKeyOf(apiKey || newKey(), hashes),
});

/** All tenants share a stream. */
export const toTenants = (context: CommandContext, command: TenantCommand) => ({
  stream: TENANTS_STREAM,
  decider: tenants,
  context,
  command,
});

/** A new tenant with its users. */
export class RegisterTenant extends Command<Created> {
  constructor(
    readonly context: CommandContext,
    readonly data: TenantData,
  ) {
    super();
  }
}

@CommandHandler(RegisterTenant)
class RegisterTenantHandler implements ICommandHandler<RegisterTenant> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
  ) {}

  async execute({ context, data }: RegisterTenant): Promise<Created> {
    const users = data.users.map((user) => tenantUser(user, this.hashes));
    const command = { ...data, type: 'RegisterTenant', tenantId: randomUUID(), users } as const;
    const { events, readable } = await this.gateway.execute(toTenants(context, command));
    const [registered] = events;
    if (!registered) throw new Error('a registration made no event');
    return { id: registered.data.tenantId, readable };
  }
}

/** Replaces a tenant and its users. A user whose api key is that of a user of the tenant stays that user. */
export class ReviseTenant extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly data: TenantData,
  ) {
    super();
  }
}

@CommandHandler(ReviseTenant)
class ReviseTenantHandler implements ICommandHandler<ReviseTenant> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
  ) {}

  execute({ context, tenantId, data }: ReviseTenant): Promise<WriteOutcome> {
    const users = data.users.map((user) => tenantUser(user, this.hashes));
    return this.gateway.execute(toTenants(context, { ...data, type: 'ReviseTenant', tenantId, users }));
  }
}

/** Removes a tenant with its users and everything that belongs to it. */
export class RemoveTenant extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveTenant)
class RemoveTenantHandler implements ICommandHandler<RemoveTenant> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId }: RemoveTenant): Promise<WriteOutcome> {
    return this.gateway.execute(toTenants(context, { type: 'DeleteTenant', tenantId }));
  }
}

/** A new user of a tenant, with a generated api key. */
export class AddTenantUser extends Command<Created> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly profile: UserProfile,
  ) {
    super();
  }
}

@CommandHandler(AddTenantUser)
class AddTenantUserHandler implements ICommandHandler<AddTenantUser> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
  ) {}

  async execute({ context, tenantId, profile }: AddTenantUser): Promise<Created> {
    await this.erased.refuse(tenantSubject(tenantId)); // the key of the user would admit nobody
    const user = tenantUser({ ...profile, apiKey: '' }, this.hashes);
    const { events, readable } = await this.gateway.execute(toTenants(context, { type: 'AddTenantUser', tenantId, user }));
    const [added] = events;
    if (added?.type !== 'TenantUserAdded') throw new Error('an addition made no user');
    return { id: added.data.userId, readable };
  }
}

/** Changes a user: empty members change nothing, and an empty `apiKey` keeps the key. */
export class ReviseTenantUser extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly userId: string,
    readonly changes: NewUser,
  ) {
    super();
  }
}

@CommandHandler(ReviseTenantUser)
class ReviseTenantUserHandler implements ICommandHandler<ReviseTenantUser> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
  ) {}

  execute({ context, tenantId, userId, changes: { apiKey, ...changes } }: ReviseTenantUser): Promise<WriteOutcome> {
    const key = apiKey ? { key: apiKeyOf(apiKey, this.hashes) } : {};
    return this.gateway.execute(toTenants(context, { type: 'ReviseTenantUser', tenantId, userId, changes, ...key }));
  }
}

/** Removes a user; its api key is worthless at once. */
export class RemoveTenantUser extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly userId: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveTenantUser)
class RemoveTenantUserHandler implements ICommandHandler<RemoveTenantUser> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, userId }: RemoveTenantUser): Promise<WriteOutcome> {
    return this.gateway.execute(toTenants(context, { type: 'RemoveTenantUser', tenantId, userId }));
  }
}

/** Gives a user a new api key; the old one is worthless at once. */
export class RenewTenantUserKey extends Command<WriteOutcome & Readonly<{ apiKey: string }>> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly userId: string,
  ) {
    super();
  }
}

@CommandHandler(RenewTenantUserKey)
class RenewTenantUserKeyHandler implements ICommandHandler<RenewTenantUserKey> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
  ) {}

  async execute({ context, tenantId, userId }: RenewTenantUserKey): Promise<WriteOutcome & Readonly<{ apiKey: string }>> {
    const command = { type: 'RenewTenantUserKey', tenantId, userId, key: apiKeyOf(newKey(), this.hashes) } as const;
    const { events, readable } = await this.gateway.execute(toTenants(context, command));
    const [renewed] = events;
    if (renewed?.type !== 'TenantUserKeyRenewed') throw new Error('a renewal made no key');
    const { apiKey } = renewed.data;
    if (!apiKey) throw new DomainError('TENANT_USER_NOT_FOUND'); // a repeated request whose user was removed since
    return { apiKey, readable };
  }
}

/** Replaces the engine status of a tenant. */
export class ReportEngineStatus extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly status: EngineStatus,
  ) {
    super();
  }
}

@CommandHandler(ReportEngineStatus)
class ReportEngineStatusHandler implements ICommandHandler<ReportEngineStatus> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, status }: ReportEngineStatus): Promise<WriteOutcome> {
    return this.gateway.execute(toTenants(context, { type: 'ReportTenantEngineStatus', tenantId, status }));
  }
}

export const tenantHandlers: readonly Type[] = [
  RegisterTenantHandler,
  ReviseTenantHandler,
  RemoveTenantHandler,
  AddTenantUserHandler,
  ReviseTenantUserHandler,
  RemoveTenantUserHandler,
  RenewTenantUserKeyHandler,
  ReportEngineStatusHandler,
];
