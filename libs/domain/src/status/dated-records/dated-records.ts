import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import { ended } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';
import { inTenantStream } from '#domain/status/audited-records.js';
import { Sizes, sizeOf, sizesAsMap, sizeWithin } from '#domain/status/limits.js';

/** Members of every dated record. */
export type NamedRecord = Readonly<{ name: string }>;

/**
 * A dated version of a record was written. `change`: the record was `created`, a day was `added` to its history (before or after the known days), or
 * the version of the same day was `replaced`.
 */
export type SnapshotDated<R extends NamedRecord> = Readonly<{
  id: string;
  date: Day;
  change: 'created' | 'added' | 'replaced';
  record: R;
  /** The contents are invalid, but were migrated from the original service. Absent: the contents are valid. */
  unchecked?: true;
}>;
export type RecordDeleted = Readonly<{ id: string }>;

export type DatedEvent<R extends NamedRecord> = Readonly<{ type: string; data: SnapshotDated<R> } | { type: string; data: RecordDeleted }>;

export type DatedCommand<R extends NamedRecord> =
  /**
   * `id`: new for a creation. `date`: UTC day from which the version is valid. `unresolved`: the record refers to another that the tenant does not
   * have (looked up in the read model when the command was made). `takenOver`: the record is migrated from the original service, and invalid contents
   * are marked instead of rejected.
   */
  | Readonly<{ type: 'CreateRecord' | 'ReviseRecord'; id: string; date: Day; record: R; unresolved?: boolean; takenOver?: true }>
  | Readonly<{ type: 'DeleteRecord'; id: string }>;

type RecordWrite<R extends NamedRecord> = Extract<DatedCommand<R>, { record: R }>;

/** A kind of dated record of a tenant. Kinds differ in the record, its validation and its names. */
export type DatedResource<R extends NamedRecord> = Readonly<{
  /** As in paths and stream names, for example `operations_profiles`. */
  kind: string;
  events: Readonly<{ dated: string; deleted: string }>;
  decider: Decider<DatedState, DatedCommand<R>, DatedEvent<R>>;
  /** Problems of the contents of a record, one line each, in the order of the contract. @throws DomainError `OVER_LIMIT` */
  flawsOf(record: R): readonly string[];
}>;

/** Checks of a record: its contents, the uniqueness of its name, and its reference to another kind of record. */
type RecordCheck = 'contents' | 'name' | 'reference';

type DatedDefinition<R extends NamedRecord> = Omit<DatedResource<R>, 'decider' | 'flawsOf'> &
  Readonly<{
    /** Order of the checks, fixed by the contract for each call. Default: contents, name. */
    checks?: Readonly<{ create: readonly RecordCheck[]; revise: readonly RecordCheck[] }>;
    /** Default: every record is valid. */
    validate?: DatedResource<R>['flawsOf'];
  }>;

/** The members needed to route and name records of any kind. */
export type AnyDated = Pick<DatedResource<NamedRecord>, 'kind' | 'events'>;

export const categoryOfDated = (resource: AnyDated): string => `status.${resource.kind}`;
/** All records of one kind of a tenant share a stream, because their names are unique among them. */
export const streamOfDated = (resource: AnyDated, tenantId: string): string => `${categoryOfDated(resource)}-${tenantId}`;

/** The kind of one record as in operations contract 2. The service names collections: `metric_profiles`. */
export const kindOfDated = ({ kind }: Pick<AnyDated, 'kind'>): string => kind.replace(/_profiles$/, '_profile');

export const catalogueOfDated = (resource: AnyDated): EventCatalogue => {
  const record = inTenantStream(kindOfDated(resource));
  return { [resource.events.dated]: { resource: record }, [resource.events.deleted]: { resource: ended(record) } };
};

/** The name of a record on the only day that it has, as most have; of more days, by day. */
type DatedNames = readonly [Day, string] | Map<Day, string>;

/** The record of the only snapshot with a name, as most names have; of names that more have or had, the number of snapshots by record. */
type NameHolders = string | Map<string, number>;

/**
 * `names`: names of each record's snapshots. `holders`: for each name, the records that have it: several only if they were migrated from the original
 * service. `sizes`: size of the largest snapshot that each record has had, because a list may show any of them.
 */
export type DatedState = Readonly<{ names: Map<string, DatedNames>; holders: Map<string, NameHolders>; sizes: Sizes }>;

/** A snapshot as shown: the common members in wire order, then those of its kind. */
export const shownSnapshot = ({ id, date, record }: Pick<SnapshotDated<NamedRecord>, 'id' | 'date' | 'record'>): object =>
  Object.assign({ id, date, name: record.name }, record);

/** A record may have many more problems than members, and each may repeat a long text. A longer answer would help nobody. */
const MOST_LINES = 10_000;
const MOST_CHARACTERS = 1_000_000;

/** The first lines about a record: at most 10,000, ending with the line that reaches a million characters. */
export const firstLines = (lines: Iterable<string>): readonly string[] => {
  const first: string[] = [];
  let characters = 0;
  for (const line of lines) {
    first.push(line);
    characters += line.length;
    if (first.length === MOST_LINES || characters >= MOST_CHARACTERS) break;
  }
  return first;
};

const LIST = { count: 'recordsPerKind', total: 'recordsSizePerKind' } as const;

const isSnapshot = <R extends NamedRecord>(data: SnapshotDated<R> | RecordDeleted): data is SnapshotDated<R> => 'record' in data;

/** A name is taken if any snapshot of another record has it, on any day. Historic names stay reserved (status contract 3). */
const nameTaken = (state: DatedState, name: string, id: string): boolean => {
  const holders = state.holders.get(name) ?? id;
  return holders instanceof Map ? holders.size > 1 || !holders.has(id) : holders !== id;
};

const namesByDay = (names: DatedNames): Map<Day, string> => (names instanceof Map ? names : new Map([names]));

const nameOn = (names: DatedNames, day: Day): string | undefined => {
  if (names instanceof Map) return names.get(day);
  return names[0] === day ? names[1] : undefined;
};

/** Changes the names given, or returns others. */
const withName = (names: DatedNames | undefined, day: Day, name: string): DatedNames =>
  names instanceof Map || (names && names[0] !== day) ? namesByDay(names).set(day, name) : [day, name];

const countsOf = (holders: NameHolders): Map<string, number> => (holders instanceof Map ? holders : new Map([[holders, 1]]));

const hold = (state: DatedState, name: string, id: string): void => {
  const holders = state.holders.get(name);
  if (holders === undefined) return void state.holders.set(name, id);
  const counts = countsOf(holders);
  state.holders.set(name, counts.set(id, (counts.get(id) ?? 0) + 1));
};

const release = (state: DatedState, name: string, id: string): void => {
  const counts = countsOf(state.holders.get(name) ?? id);
  const count = counts.get(id) ?? 0;
  if (count > 1) counts.set(id, count - 1);
  else counts.delete(id);
  if (counts.size === 0) state.holders.delete(name);
};

const DEFAULT_CHECKS = { create: ['contents', 'name'], revise: ['contents', 'name'] } as const;

/**
 * The rules of dated records (status contract 3) of one kind and tenant. Rejects with `RECORD_NOT_FOUND`, then with `OVER_LIMIT`, then, in the order
 * of the definition, with `RECORD_INVALID` (details `lines`), `NAME_TAKEN` and `REFERENCE_NOT_FOUND`.
 */
const deciderOf = <R extends NamedRecord>(
  resource: DatedDefinition<R>,
  flawsOf: DatedResource<R>['flawsOf'],
): DatedResource<R>['decider'] => {
  const checks = resource.checks ?? DEFAULT_CHECKS;
  const failure = (
    check: RecordCheck,
    state: DatedState,
    { id, record, unresolved, takenOver }: RecordWrite<R>,
  ): DomainError | undefined => {
    switch (check) {
      case 'contents': {
        const lines = takenOver ? [] : flawsOf(record);
        return lines.length > 0 ? new DomainError('RECORD_INVALID', { lines }) : undefined;
      }
      case 'name':
        return nameTaken(state, record.name, id) ? new DomainError('NAME_TAKEN') : undefined;
      case 'reference':
        return unresolved ? new DomainError('REFERENCE_NOT_FOUND') : undefined;
    }
  };
  const ensure = (order: readonly RecordCheck[], state: DatedState, write: RecordWrite<R>): void => {
    state.sizes.ensureRoom(write.id, sizeWithin('recordSize', shownSnapshot(write)), LIST);
    for (const check of order) {
      const error = failure(check, state, write);
      if (error) throw error;
    }
  };
  const dated = ({ id, date, record, takenOver }: RecordWrite<R>, change: SnapshotDated<R>['change']): DatedEvent<R> => ({
    type: resource.events.dated,
    data: { id, date, change, record, ...(takenOver && flawsOf(record).length > 0 && { unchecked: true as const }) },
  });

  return {
    snapshots: { name: 'dated-records', version: 3, ...sizesAsMap<DatedState>() },
    initialState: () => ({ names: new Map(), holders: new Map(), sizes: new Sizes() }),
    decide: (command, state) => {
      const { id } = command;
      const known = state.names.get(id);
      switch (command.type) {
        case 'CreateRecord': {
          ensure(checks.create, state, command);
          return [dated(command, 'created')];
        }
        case 'ReviseRecord': {
          if (!known) throw new DomainError('RECORD_NOT_FOUND');
          ensure(checks.revise, state, command);
          return [dated(command, nameOn(known, command.date) === undefined ? 'added' : 'replaced')];
        }
        case 'DeleteRecord': {
          if (!known) throw new DomainError('RECORD_NOT_FOUND');
          return [{ type: resource.events.deleted, data: { id } }];
        }
      }
    },
    evolve: (state, { data }) => {
      const { id } = data;
      const known = state.names.get(id);
      if (isSnapshot(data)) {
        const { date, record } = data;
        const size = sizeOf(shownSnapshot(data)); // throws for what is no record: the event is skipped, so nothing may be changed yet
        const replaced = known && nameOn(known, date);
        if (replaced !== undefined) release(state, replaced, id);
        hold(state, record.name, id);
        state.names.set(id, withName(known, date, record.name));
        state.sizes.set(id, Math.max(state.sizes.of(id), size));
      } else if (known) {
        for (const name of namesByDay(known).values()) release(state, name, id);
        state.names.delete(id);
        state.sizes.delete(id);
      }
      return state;
    },
  };
};

export const datedResource = <R extends NamedRecord>(definition: DatedDefinition<R>): DatedResource<R> => {
  const { kind, events, validate: flawsOf = () => [] } = definition;
  return { kind, events, decider: deciderOf(definition, flawsOf), flawsOf };
};
