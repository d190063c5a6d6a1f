import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { AccessEvent } from '#domain/accounting/access/access-events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { toAccess } from './stream-commands.js';

/** Changes a setting to one of the values that it may have. */
export class ChangeSetting extends Command<Outcome<AccessEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly key: string,
    readonly value: string,
  ) {
    super();
  }
}

@CommandHandler(ChangeSetting)
export class ChangeSettingHandler implements ICommandHandler<ChangeSetting> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, key, value }: ChangeSetting): Promise<Outcome<AccessEvent>> {
    return this.gateway.execute(toAccess(context, { type: 'ChangeSetting', key, value }));
  }
}
