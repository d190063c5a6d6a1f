import type { Provider } from '@nestjs/common';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { CommandOf, CommandWith, type Named } from '#api/shared/commands/command-of.js';
import { passOn } from '#api/shared/commands/handlers.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { Day } from '#domain/shared/time.js';
import {
  type DatedCommand,
  type DatedEvent,
  type DatedResource,
  type NamedRecord,
  streamOfDated,
} from '#domain/status/dated-records/dated-records.js';

type OfTenant = Readonly<{ tenantId: string }>;
type Asked<R extends NamedRecord> = DatedCommand<R> & OfTenant;

/** A snapshot of a record: `date` is the UTC day from which it holds; `unresolved` if the tenant does not have what the record refers to. */
type SnapshotToWrite<R extends NamedRecord> = OfTenant & Readonly<{ id: string; date: Day; record: R; unresolved?: boolean }>;

/** A new record with its first snapshot. Subclasses name the kind of record. */
export abstract class CreateDatedRecord<R extends NamedRecord> extends CommandWith<SnapshotToWrite<R>, Outcome<DatedEvent<R>>> {}

/** Writes the snapshot of a day: replaces it, or adds it to the history of the record. */
export abstract class DateSnapshot<R extends NamedRecord> extends CommandWith<SnapshotToWrite<R>, Outcome<DatedEvent<R>>> {}

/** Deletes a record with all its snapshots. */
export abstract class DeleteDatedRecord<R extends NamedRecord> extends CommandOf<Asked<R>, 'DeleteRecord', DatedEvent<R>> {}

/** The commands of one kind of record. */
export type DatedCommands<R extends NamedRecord> = Readonly<{
  create: Named<CreateDatedRecord<R>>;
  date: Named<DateSnapshot<R>>;
  delete: Named<DeleteDatedRecord<R>>;
}>;

/** The handlers of the commands of one kind: all its records of a tenant share a stream, which knows the rules. */
export const datedHandlers = <R extends NamedRecord>(resource: DatedResource<R>, commands: DatedCommands<R>): readonly Provider[] => {
  const toRecords = (context: CommandContext, command: Asked<R>) => ({
    stream: streamOfDated(resource, command.tenantId),
    decider: resource.decider,
    context,
    command,
  });
  return passOn(toRecords, { CreateRecord: commands.create, ReviseRecord: commands.date, DeleteRecord: commands.delete });
};
