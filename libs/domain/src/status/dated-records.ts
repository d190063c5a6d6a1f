import type { EventCatalogue } from '../shared/catalogue.js';
import { type Decider, DomainError } from '../shared/decider.js';
import type { Day } from '../shared/time.js';

/** What every dated record has besides its own members. */
export type NamedRecord = Readonly<{ name: string }>;

/**
 * One dated version of a record was written. `change` tells what that meant when it happened: the record was `created`, a day was `added`
 * to its history (earlier or later than the days known), or the version of that very day was `replaced`.
 */
export type SnapshotDated<R extends NamedRecord> = Readonly<{ id: string; date: Day; change: 'created' | 'added' | 'replaced'; record: R }>;
export type RecordDeleted = Readonly<{ id: string }>;

export type DatedEvent<R extends NamedRecord> = Readonly<{ type: string; data: SnapshotDated<R> } | { type: string; data: RecordDeleted }>;

export type DatedCommand<R extends NamedRecord> =
  /** `id` is new; `date` is the UTC day from which the version holds. */
  | Readonly<{ type: 'CreateRecord'; id: string; date: Day; record: R }>
  | Readonly<{ type: 'ReviseRecord'; id: string; date: Day; record: R }>
  | Readonly<{ type: 'DeleteRecord'; id: string }>;

/** A kind of dated record of a tenant: what differs between kinds is the record, its validation and its names. */
export type DatedResource<R extends NamedRecord> = Readonly<{
  /** As in paths and stream names, for example `operations_profiles`. */
  kind: string;
  events: Readonly<{ dated: string; deleted: string }>;
  decider: Decider<DatedState, DatedCommand<R>, DatedEvent<R>>;
}>;

export type DatedDefinition<R extends NamedRecord> = Omit<DatedResource<R>, 'decider'> &
  Readonly<{
    /** What is wrong with a record, one line each, in the order of the contract. Default: nothing is. */
    validate?: (record: R) => readonly string[];
  }>;

/** What callers that only route and name need of any kind. */
export type AnyDated = Omit<DatedResource<NamedRecord>, 'decider'>;

export const categoryOfDated = (resource: AnyDated): string => `status.${resource.kind}`;
/** All records of one kind of one tenant share a stream, because their names are unique among them. */
export const streamOfDated = (resource: AnyDated, tenantId: string): string => `${categoryOfDated(resource)}-${tenantId}`;
export const catalogueOfDated = (resource: AnyDated): EventCatalogue => ({
  [resource.events.dated]: {},
  [resource.events.deleted]: {},
});

/** For each record the names of its snapshots by day, and for each name how many snapshots of which record bear it. */
export type DatedState = Readonly<{ names: Map<string, Map<Day, string>>; holders: Map<string, Map<string, number>> }>;

const isSnapshot = <R extends NamedRecord>(data: SnapshotDated<R> | RecordDeleted): data is SnapshotDated<R> => 'record' in data;

/** A name is taken by every snapshot of every other record, whatever the day: historic names stay reserved (contract 3). */
const nameTaken = (state: DatedState, name: string, id: string): boolean => {
  const holders = state.holders.get(name);
  return holders !== undefined && (holders.size > 1 || !holders.has(id));
};

const hold = (state: DatedState, name: string, id: string): void => {
  const holders = state.holders.get(name) ?? new Map<string, number>();
  state.holders.set(name, holders.set(id, (holders.get(id) ?? 0) + 1));
};

const release = (state: DatedState, name: string, id: string): void => {
  const holders = state.holders.get(name);
  const count = holders?.get(id) ?? 0;
  if (count > 1) holders?.set(id, count - 1);
  else holders?.delete(id);
  if (holders?.size === 0) state.holders.delete(name);
};

/**
 * The rules of dated records (status contract 3), for all records of one kind and tenant.
 * Rejects with `RECORD_NOT_FOUND`, `RECORD_INVALID` (details `lines`) and `NAME_TAKEN`, in this order.
 */
const decider = <R extends NamedRecord>(resource: DatedDefinition<R>): DatedResource<R>['decider'] => {
  const check = (state: DatedState, id: string, record: R): void => {
    const lines = resource.validate?.(record) ?? [];
    if (lines.length > 0) throw new DomainError('RECORD_INVALID', { lines });
    if (nameTaken(state, record.name, id)) throw new DomainError('NAME_TAKEN');
  };
  const dated = (data: SnapshotDated<R>): DatedEvent<R> => ({ type: resource.events.dated, data });

  return {
    initialState: () => ({ names: new Map(), holders: new Map() }),
    decide: (command, state) => {
      const { id } = command;
      const days = state.names.get(id);
      switch (command.type) {
        case 'CreateRecord': {
          check(state, id, command.record);
          return [dated({ id, date: command.date, change: 'created', record: command.record })];
        }
        case 'ReviseRecord': {
          if (!days) throw new DomainError('RECORD_NOT_FOUND');
          check(state, id, command.record);
          return [dated({ id, date: command.date, change: days.has(command.date) ? 'replaced' : 'added', record: command.record })];
        }
        case 'DeleteRecord': {
          if (!days) throw new DomainError('RECORD_NOT_FOUND');
          return [{ type: resource.events.deleted, data: { id } }];
        }
      }
    },
    evolve: (state, { data }) => {
      const days = state.names.get(data.id) ?? new Map<Day, string>();
      if (isSnapshot(data)) {
        const replaced = days.get(data.date);
        if (replaced !== undefined) release(state, replaced, data.id);
        hold(state, data.record.name, data.id);
        state.names.set(data.id, days.set(data.date, data.record.name));
      } else {
        for (const name of days.values()) release(state, name, data.id);
        state.names.delete(data.id);
      }
      return state;
    },
  };
};

export const datedResource = <R extends NamedRecord>(definition: DatedDefinition<R>): DatedResource<R> => ({
  kind: definition.kind,
  events: definition.events,
  decider: decider(definition),
});
