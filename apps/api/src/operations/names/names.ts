import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import { ERASABLE, type ErasableRecord, type ErasableService } from '#domain/operations/erasures.js';
import { LOGGED_KINDS, type LoggedKind, NAMED_KINDS, type NamedKind, namedKind } from '#domain/operations/named-kinds.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { unlessIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { type RecordDocument, SubjectQueries } from '#projections/operations/subjects/queries.js';
import { type NamedEntry, NamedRecords, ownClientId } from './named-records.js';

export type NamedRecord = Readonly<{ kind: NamedKind; id: string }>;

/** `name`: `null` if there is none. `state`: `gone` after a deletion or erasure, `unknown` if it never existed or leaves no trace. */
export type NameOfRecord = NamedRecord &
  Readonly<{ name: string | null; place: string | null; isPerson: boolean; state: 'present' | 'gone' | 'unknown' }>;

/** `isGone`: set if the name is that of a deleted record. */
type Found = (Omit<NamedEntry, 'id'> & Readonly<{ isGone?: true }>) | undefined;

const isLogged = (kind: NamedKind): kind is LoggedKind => (LOGGED_KINDS as readonly NamedKind[]).includes(kind);

const keyOf = ({ kind, id }: NamedRecord): string => `${kind} ${id}`;

/** Current names of records by their ids: from the read models, else from the log. */
@Injectable()
export class Names {
  constructor(
    private readonly named: NamedRecords,
    private readonly subjects: SubjectQueries,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** Keeps the order. Paused records have their earlier names. */
  of(asked: readonly NamedRecord[]): Promise<readonly NameOfRecord[]> {
    return readAcross(() => this.find(asked));
  }

  private async find(asked: readonly NamedRecord[]): Promise<readonly NameOfRecord[]> {
    const found = new Map<string, Found>();
    await Promise.all(
      NAMED_KINDS.map(async (kind) => {
        const ids = [...new Set(asked.flatMap((one) => (one.kind === kind ? [one.id] : [])))];
        if (ids.length === 0) return;
        const names = await (isLogged(kind) ? this.logged(kind, ids) : this.named.kinds[kind].byId(ids));
        for (const [at, id] of ids.entries()) found.set(keyOf({ kind, id }), names[at]);
      }),
    );
    const former = await this.former(asked.filter((one) => !found.get(keyOf(one))?.name));
    return asked.map((one) => {
      const { name = '', place = null, isPerson = false, isGone = false } = found.get(keyOf(one)) ?? {};
      if (name !== '') return { ...one, name, place, isPerson, state: isGone ? 'gone' : 'present' };
      const was = former.get(keyOf(one));
      return { ...one, name: was ? formerName(was.kind) : null, place, isPerson: false, state: was ? 'gone' : 'unknown' };
    });
  }

  /** Former records among those without a name. An actor that is gone was a user. */
  private async former(nameless: readonly NamedRecord[]): Promise<ReadonlyMap<string, RecordDocument>> {
    const candidates = nameless.flatMap((record) => erasableAs(record).map((one) => ({ key: keyOf(record), one })));
    const were = await this.subjects.ever(candidates.map(({ one }) => one));
    return new Map(candidates.flatMap(({ key }, index) => (were[index] ? [[key, were[index]] as const] : [])));
  }

  private async logged(kind: LoggedKind, ids: readonly string[]): Promise<readonly Found[]> {
    const records = await unlessIncomplete(() => this.inLog(kind, ids), []);
    const places = await this.find(records.flatMap((record) => (record?.owner ? namedAs(record.owner) : [])));
    return records.map((record) => {
      if (record?.isGone) return { name: formerName(kind.slice(kind.indexOf('.') + 1)), isGone: true };
      const place = places.find(({ id }) => id === record?.owner?.id)?.name ?? undefined;
      return record?.name === undefined ? undefined : { name: record.name, place };
    });
  }

  /** By their newest events. `owner`: tenant or project. @throws AuditIndexIncomplete */
  private async inLog(kind: LoggedKind, ids: readonly string[]) {
    const { index } = this.audit;
    const { size } = index.checkpoint();
    const history = new RecordHistory(index, this.events, size);
    const found = [];
    for (const id of ids) {
      const reference = referenceOf(kind, id);
      const standing = await history.standing(reference);
      const name = standing && !standing.isGone ? await history.names.at(reference, size - 1) : undefined;
      found.push(standing && { isGone: standing.isGone, name, owner: standing.owners[0] });
    }
    return found;
  }
}

/** A record as names are asked for; none if its kind has none. */
export const namedAs = ({ service, kind, id }: ResourceReference): readonly NamedRecord[] => {
  const named = namedKind(`${service}.${kind}`);
  return named ? [{ kind: named, id }] : [];
};

/** Ids of records of a project are `<id of the project>/<id>`. */
const referenceOf = (named: LoggedKind, id: string): ResourceReference => {
  const [service = '', kind = ''] = named.split('.');
  const slash = service === 'messaging' ? id.indexOf('/') : -1;
  return { service, kind, id: id.slice(slash + 1), ...(slash >= 0 && { scope: id.slice(0, slash) }) };
};

/** Records that can be erased, as which one was there; none for other kinds. */
const erasableAs = ({ kind: named, id }: NamedRecord): readonly ErasableRecord[] => {
  if (named === 'actor')
    return [
      { service: 'messaging', kind: 'user', id },
      { service: 'status', kind: 'user', id },
      { service: 'accounting', kind: 'client', id: ownClientId(id) },
    ];
  const [service = '', kind = ''] = named.split('.');
  return ERASABLE[service as ErasableService]?.includes(kind) ? [{ service: service as ErasableService, kind, id }] : [];
};

const PEOPLE = ['user', 'client', 'registration'];

const formerName = (kind: string): string => (PEOPLE.includes(kind) ? 'erased user' : `deleted ${kind.replaceAll('_', ' ')}`);
