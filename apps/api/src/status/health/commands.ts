import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway } from '#api/shared/commands/command-gateway.js';
import type { WriteOutcome } from '#api/status/written.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { HEALTH_STREAM, type HealthCommand, health } from '#domain/status/health/health.js';

/** Says something about the health of the installation: the outcome of a check, or an acknowledgement of it. */
export class JudgeHealth extends Command<WriteOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly judgement: HealthCommand,
  ) {
    super();
  }
}

@CommandHandler(JudgeHealth)
class JudgeHealthHandler implements ICommandHandler<JudgeHealth> {
  constructor(private readonly gateway: CommandGateway) {}

  execute({ context, judgement: command }: JudgeHealth): Promise<WriteOutcome> {
    return this.gateway.execute({ stream: HEALTH_STREAM, decider: health, context, command });
  }
}

export const healthHandlers: readonly Type[] = [JudgeHealthHandler];
