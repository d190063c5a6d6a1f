import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { TENANTS_STREAM, type TenantCommand, type TenantEvent, tenants } from '#domain/status/tenants.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CommandExecutor, type Outcome } from '../shared/command-executor.js';

/** A change to the tenants or their users. */
export class WriteTenant extends Command<Outcome<TenantEvent>> {
  constructor(
    readonly command: TenantCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(WriteTenant)
export class WriteTenantHandler implements ICommandHandler<WriteTenant> {
  constructor(private readonly executor: CommandExecutor) {}

  execute({ command, context }: WriteTenant): Promise<Outcome<TenantEvent>> {
    return this.executor.execute(TENANTS_STREAM, tenants, command, context);
  }
}
