import type { Provider } from '@nestjs/common';
import type { Outcome } from '#api/shared/commands/command-gateway.js';
import { type CommandClass, CommandOf, CommandWith } from '#api/shared/commands/command-of.js';
import { passOn, toStreams } from '#api/shared/commands/handlers.js';
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

/** A snapshot of a record. `date`: UTC day from which it is valid; `unresolved`: set if the tenant lacks a record that it refers to. */
type SnapshotToWrite<R extends NamedRecord> = OfTenant & Readonly<{ id: string; date: Day; record: R; unresolved?: boolean }>;

/** Creates a record with its first snapshot. */
abstract class CreateDatedRecord<R extends NamedRecord> extends CommandWith<SnapshotToWrite<R>, Outcome<DatedEvent<R>>> {}

/** Writes the snapshot of a day: replaces it, or adds it to the history of the record. */
abstract class DateSnapshot<R extends NamedRecord> extends CommandWith<SnapshotToWrite<R>, Outcome<DatedEvent<R>>> {}

/** Deletes a record with all its snapshots. */
abstract class DeleteDatedRecord<R extends NamedRecord> extends CommandOf<Asked<R>, 'DeleteRecord', DatedEvent<R>> {}

/** The commands of one kind of record. */
export type DatedCommands<R extends NamedRecord> = Readonly<{
  create: CommandClass<CreateDatedRecord<R>>;
  date: CommandClass<DateSnapshot<R>>;
  delete: CommandClass<DeleteDatedRecord<R>>;
}>;

/** Commands of one more kind. The bus distinguishes commands by their classes. */
export const datedCommands = <R extends NamedRecord>(): DatedCommands<R> => ({
  create: class extends CreateDatedRecord<R> {},
  date: class extends DateSnapshot<R> {},
  delete: class extends DeleteDatedRecord<R> {},
});

/** The handlers of the commands of one kind. All its records of a tenant share a stream, and the rules apply to that. */
export const datedHandlers = <R extends NamedRecord>(resource: DatedResource<R>, commands: DatedCommands<R>): readonly Provider[] => {
  const toRecords = toStreams(resource.decider, ({ tenantId }: Asked<R>) => streamOfDated(resource, tenantId));
  return passOn(toRecords, { CreateRecord: commands.create, ReviseRecord: commands.date, DeleteRecord: commands.delete });
};
