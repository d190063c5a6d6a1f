import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ACCESS_KEYS_STREAM, type AccessKeyCommand, type AccessKeyEvent, accessKeys } from '#domain/shared/access-keys.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CommandExecutor, type Outcome } from '../shared/command-executor.js';

/** A use of the key administration: every one is an event. */
export class WriteAccessKey extends Command<Outcome<AccessKeyEvent>> {
  constructor(
    readonly command: AccessKeyCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(WriteAccessKey)
export class WriteAccessKeyHandler implements ICommandHandler<WriteAccessKey> {
  constructor(private readonly executor: CommandExecutor) {}

  execute({ command, context }: WriteAccessKey): Promise<Outcome<AccessKeyEvent>> {
    return this.executor.execute(ACCESS_KEYS_STREAM, accessKeys, command, context);
  }
}
