import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type DatedCommand, type DatedEvent, type DatedResource, type NamedRecord, streamOfDated } from '#domain/status/dated-records.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { CommandExecutor, type Outcome } from '../shared/command-executor.js';

/** A change to a dated record of a tenant. */
export class WriteDatedRecord<R extends NamedRecord = NamedRecord> extends Command<Outcome<DatedEvent<R>>> {
  constructor(
    readonly resource: DatedResource<R>,
    readonly tenantId: string,
    readonly command: DatedCommand<R>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(WriteDatedRecord)
export class WriteDatedRecordHandler implements ICommandHandler<WriteDatedRecord> {
  constructor(private readonly executor: CommandExecutor) {}

  execute({ resource, tenantId, command, context }: WriteDatedRecord): Promise<Outcome<DatedEvent<NamedRecord>>> {
    return this.executor.execute(streamOfDated(resource, tenantId), resource.decider, command, context);
  }
}
