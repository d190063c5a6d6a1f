import { commandWith } from '#api/shared/commands/command-of.js';
import { toStreams } from '#api/shared/commands/handlers.js';
import type { Day } from '#domain/shared/time.js';
import { type DatedCommand, type DatedResource, type NamedRecord, streamOfDated } from '#domain/status/dated-records/dated-records.js';

type OfTenant = Readonly<{ tenantId: string }>;

/** A snapshot of a record. `date`: UTC day from which it is valid; `unresolved`: set if the tenant lacks a record that it refers to. */
type SnapshotToWrite<R extends NamedRecord> = OfTenant & Readonly<{ id: string; date: Day; record: R; unresolved?: boolean }>;

/** The commands of one kind of record. All its records of a tenant share a stream, and the rules apply to that. */
export const datedCommands = <R extends NamedRecord>(resource: DatedResource<R>) => {
  const toRecords = toStreams(resource.decider, ({ tenantId }: DatedCommand<R> & OfTenant) => streamOfDated(resource, tenantId));
  return {
    /** Creates a record with its first snapshot. */
    create: commandWith([], (data: SnapshotToWrite<R>, { context, gateway }) =>
      gateway.execute(toRecords(context, { type: 'CreateRecord', ...data })),
    ),

    /** Writes the snapshot of a day: replaces it, or adds it to the history of the record. */
    date: commandWith([], (data: SnapshotToWrite<R>, { context, gateway }) =>
      gateway.execute(toRecords(context, { type: 'ReviseRecord', ...data })),
    ),

    /** Deletes a record with all its snapshots. */
    delete: commandWith([], (data: OfTenant & Readonly<{ id: string }>, { context, gateway }) =>
      gateway.execute(toRecords(context, { type: 'DeleteRecord', ...data })),
    ),
  };
};

export type DatedCommands<R extends NamedRecord> = ReturnType<typeof datedCommands<R>>;
