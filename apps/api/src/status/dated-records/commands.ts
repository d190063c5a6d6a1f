import type { Type } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandGateway, type Outcome } from '#api/shared/commands/command-gateway.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Day } from '#domain/shared/time.js';
import { type DatedEvent, type DatedResource, type NamedRecord, streamOfDated } from '#domain/status/dated-records/dated-records.js';

/** A snapshot of a record: `date` is the UTC day from which it holds; `unresolved` if the tenant does not have what the record refers to. */
export type SnapshotToWrite<R extends NamedRecord> = Readonly<{ id: string; date: Day; record: R; unresolved?: boolean }>;

/** A new record with its first snapshot. Subclasses name the kind of record. */
export abstract class CreateDatedRecord<R extends NamedRecord> extends Command<Outcome<DatedEvent<R>>> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly snapshot: SnapshotToWrite<R>,
  ) {
    super();
  }
}

/** Writes the snapshot of a day: replaces it, or adds it to the history of the record. */
export abstract class DateSnapshot<R extends NamedRecord> extends Command<Outcome<DatedEvent<R>>> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly snapshot: SnapshotToWrite<R>,
  ) {
    super();
  }
}

/** Deletes a record with all its snapshots. */
export abstract class DeleteDatedRecord<R extends NamedRecord> extends Command<Outcome<DatedEvent<R>>> {
  constructor(
    readonly context: CommandContext,
    readonly tenantId: string,
    readonly id: string,
  ) {
    super();
  }
}

/** The commands of one kind of record. */
export type DatedCommands<R extends NamedRecord> = Readonly<{
  create: new (...of: ConstructorParameters<typeof CreateDatedRecord<R>>) => CreateDatedRecord<R>;
  date: new (...of: ConstructorParameters<typeof DateSnapshot<R>>) => DateSnapshot<R>;
  delete: new (...of: ConstructorParameters<typeof DeleteDatedRecord<R>>) => DeleteDatedRecord<R>;
}>;

/** The handlers of the commands of one kind: all its records of a tenant share a stream, which knows the rules. */
export const datedHandlers = <R extends NamedRecord>(resource: DatedResource<R>, commands: DatedCommands<R>): readonly Type[] => {
  const { decider } = resource;

  @CommandHandler(commands.create)
  class CreateHandler implements ICommandHandler<CreateDatedRecord<R>> {
    constructor(private readonly gateway: CommandGateway) {}

    execute({ context, tenantId, snapshot }: CreateDatedRecord<R>): Promise<Outcome<DatedEvent<R>>> {
      const stream = streamOfDated(resource, tenantId);
      return this.gateway.execute({ stream, decider, context, command: { type: 'CreateRecord', ...snapshot } });
    }
  }

  @CommandHandler(commands.date)
  class DateHandler implements ICommandHandler<DateSnapshot<R>> {
    constructor(private readonly gateway: CommandGateway) {}

    execute({ context, tenantId, snapshot }: DateSnapshot<R>): Promise<Outcome<DatedEvent<R>>> {
      const stream = streamOfDated(resource, tenantId);
      return this.gateway.execute({ stream, decider, context, command: { type: 'ReviseRecord', ...snapshot } });
    }
  }

  @CommandHandler(commands.delete)
  class DeleteHandler implements ICommandHandler<DeleteDatedRecord<R>> {
    constructor(private readonly gateway: CommandGateway) {}

    execute({ context, tenantId, id }: DeleteDatedRecord<R>): Promise<Outcome<DatedEvent<R>>> {
      const stream = streamOfDated(resource, tenantId);
      return this.gateway.execute({ stream, decider, context, command: { type: 'DeleteRecord', id } });
    }
  }

  return [CreateHandler, DateHandler, DeleteHandler];
};
