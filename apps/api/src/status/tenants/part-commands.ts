import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import { newKey } from '#api/shared/commands/new-key.js';
import type { WriteOutcome } from '#api/status/written.js';
import { DomainError } from '#domain/shared/decider.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Readiness } from '#domain/status/tenants/readiness.js';
import type { DatabaseConfiguration, TenantInfo, Topology } from '#domain/status/tenants/tenants.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { apiKeyOf, toTenants } from './commands.js';

/** What becomes of one part of a tenant. */
export type PartChange =
  | Readonly<{ type: 'ReviseTenantInfo'; info: TenantInfo }>
  | Readonly<{ type: 'ReplaceTenantDatabases'; databases: readonly DatabaseConfiguration[] }>
  | Readonly<{ type: 'ReplaceTenantTopology'; topology: Topology }>
  | Readonly<{ type: 'ReportTenantReadiness'; readiness: Readiness }>
  | Readonly<{ type: 'SetTenantAsNode' | 'UnsetTenantAsNode' }>;

/** Replaces one part of a tenant; all others stay. */
export class ReviseTenantPart extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly change: PartChange,
  ) {
    super();
  }
}

@CommandHandler(ReviseTenantPart)
class ReviseTenantPartHandler implements ICommandHandler<ReviseTenantPart> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, tenantId, change }: ReviseTenantPart): Promise<WriteOutcome> {
    return this.gateway.execute(toTenants(context, { ...change, tenantId }));
  }
}

/** Gives the user of a component in the tenant of that name a new api key; the old one is worthless at once. */
export class RenewComponentKey extends Command<WriteOutcome & Readonly<{ apiKey: string }>> {
  constructor(
    readonly context: CommandContext,
    readonly tenantName: string,
    readonly component: string,
  ) {
    super();
  }
}

@CommandHandler(RenewComponentKey)
class RenewComponentKeyHandler implements ICommandHandler<RenewComponentKey> {
  constructor(
    private readonly gateway: CommandGateway,
    private readonly hashes: CredentialHashes,
  ) {}

  async execute({ context, tenantName, component }: RenewComponentKey): Promise<WriteOutcome & Readonly<{ apiKey: string }>> {
    const command = { type: 'RenewComponentKey', tenantName, component, key: apiKeyOf(newKey(), this.hashes) } as const;
    const { events, readable } = await this.gateway.execute(toTenants(context, command));
    const [renewed] = events;
    if (renewed?.type !== 'TenantUserKeyRenewed') throw new Error('a renewal made no key');
    const { apiKey } = renewed.data;
    if (!apiKey) throw new DomainError('COMPONENT_NOT_CONFIGURED', { tenantName }); // a repeated request whose user was removed since
    return { apiKey, readable };
  }
}

export const tenantPartHandlers: readonly Type[] = [ReviseTenantPartHandler, RenewComponentKeyHandler];
