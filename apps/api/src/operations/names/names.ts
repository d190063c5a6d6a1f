import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_EVENTS, EVENT_STORE } from '#api/shared/tokens.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import { ERASABLE, type ErasableRecord, type ErasableService } from '#domain/operations/erasures.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { AuditIndexIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import { type RecordDocument, SubjectQueries } from '#projections/operations/subjects/queries.js';
import { type RecomputationDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { LOGGED_KINDS, type LoggedKind, loggedNames } from './logged-names.js';

/** Kinds of records with names. `actor`: a key or a user of any service. */
export const NAMED_KINDS = [
  'actor',
  'ops.key',
  'messaging.project',
  'messaging.user',
  'messaging.registration',
  'messaging.subscription',
  'accounting.project',
  'accounting.provider',
  'accounting.installation',
  'accounting.client',
  'accounting.oidc_tenant',
  'status.tenant',
  'status.user',
  'status.recomputation',
  ...LOGGED_KINDS,
] as const;

export type NamedKind = (typeof NAMED_KINDS)[number];
export type NamedRecord = Readonly<{ kind: NamedKind; id: string }>;

/** `place`: name of the record's tenant or project. `isPerson`: set if its name is personal. `isGone`: set if the name is that of a deleted record. */
export type FoundName = Readonly<{ name: string; place?: string | undefined; isPerson?: true; isGone?: true }>;

/** `name`: `null` if there is none. `state`: `gone` after a deletion or erasure, `unknown` if it never existed or leaves no trace. */
export type NameOfRecord = NamedRecord &
  Readonly<{ name: string | null; place: string | null; isPerson: boolean; state: 'present' | 'gone' | 'unknown' }>;

type FoundOrNot = FoundName | undefined;
type Finder = (ids: readonly string[]) => Promise<readonly FoundOrNot[]>;

const found = (name: string | undefined, rest: Omit<FoundName, 'name'> = {}): FoundOrNot =>
  name === undefined ? undefined : { name, ...rest };

/** Service and kind of a record that can be erased; `undefined` for others. */
const erasable = ({ kind: named, id }: NamedRecord): ErasableRecord | undefined => {
  const [service = '', kind = ''] = named.split('.');
  return ERASABLE[service as ErasableService]?.includes(kind) ? { service: service as ErasableService, kind, id } : undefined;
};

/** Current names of records by their ids. */
@Injectable()
export class Names {
  private readonly finders: Readonly<Record<NamedKind, Finder>> = {
    actor: (ids) => this.actors(ids),
    'ops.key': (ids) => this.keyNames(ids),
    'messaging.project': async (ids) => (await this.accounts.projects(ids)).map((project) => found(project?.name)),
    'messaging.user': async (ids) => (await this.accounts.users(ids)).map((user) => found(user?.name)),
    'messaging.registration': (ids) => Promise.all(ids.map(async (id) => found((await this.accounts.registration(id))?.name))),
    'messaging.subscription': (ids) => this.subscriptions(ids),
    'accounting.project': async (ids) => {
      const projects = await this.catalogue.projects(ids);
      return ids.map((id) => found(projects.get(id)?.acronym));
    },
    'accounting.provider': async (ids) => {
      const providers = await this.catalogue.providers(ids);
      return ids.map((id) => found(providers.get(id)?.name));
    },
    'accounting.installation': (ids) =>
      Promise.all(ids.map(async (id) => found((await this.catalogue.installationById(id))?.installation))),
    'accounting.client': (ids) => this.clients(ids),
    'accounting.oidc_tenant': (ids) => Promise.all(ids.map(async (id) => found((await this.access.oidcTenant(id))?.tenant_id))),
    'status.tenant': async (ids) => (await this.tenants.names(ids, new TimeSlice())).map((name) => found(name)),
    'status.user': (ids) => this.usersOfTenants(ids),
    'status.recomputation': (ids) => this.recomputationNames(ids),
    ...(Object.fromEntries(LOGGED_KINDS.map((kind) => [kind, (ids: readonly string[]) => this.logged(kind, ids)])) as Record<
      LoggedKind,
      Finder
    >),
  };

  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly access: AccessQueries,
    private readonly catalogue: CatalogueQueries,
    private readonly tenants: TenantQueries,
    private readonly recomputations: RecomputationQueries,
    private readonly keys: AccessKeyQueries,
    private readonly subjects: SubjectQueries,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  /** Keeps the order. Paused records have their earlier names. */
  of(asked: readonly NamedRecord[]): Promise<readonly NameOfRecord[]> {
    return readAcross(() => this.find(asked));
  }

  private async find(asked: readonly NamedRecord[]): Promise<readonly NameOfRecord[]> {
    const byKind = new Map<NamedKind, Map<string, FoundOrNot>>();
    await Promise.all(
      NAMED_KINDS.map(async (kind) => {
        const ids = [...new Set(asked.flatMap((one) => (one.kind === kind ? [one.id] : [])))];
        if (ids.length === 0) return;
        const named = await this.finders[kind](ids);
        byKind.set(kind, new Map(ids.map((id, at) => [id, named[at]])));
      }),
    );
    const nameless = asked.filter(({ kind, id }) => !byKind.get(kind)?.get(id)?.name);
    const former = await this.former(nameless);
    return asked.map((one) => {
      const { name = '', place = null, isPerson = false, isGone = false } = byKind.get(one.kind)?.get(one.id) ?? {};
      if (name !== '') return { ...one, name, place, isPerson, state: isGone ? 'gone' : 'present' };
      const was = former.get(`${one.kind} ${one.id}`);
      return { ...one, name: was ? formerName(was.kind) : null, place, isPerson: false, state: was ? 'gone' : 'unknown' };
    });
  }

  /** Former records among those without a name. An actor that is gone was a user. */
  private async former(nameless: readonly NamedRecord[]): Promise<ReadonlyMap<string, RecordDocument>> {
    const candidates = nameless.flatMap((record) => {
      const { kind, id } = record;
      const records = kind === 'actor' ? actorRecords(id) : [erasable(record)];
      return records.flatMap((one) => (one ? [{ at: `${kind} ${id}`, one }] : []));
    });
    const were = await this.subjects.ever(candidates.map(({ one }) => one));
    return new Map(candidates.flatMap(({ at }, index) => (were[index] ? [[at, were[index]] as const] : [])));
  }

  private async actors(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const all = await Promise.all([
      this.keyNames(ids),
      this.finders['messaging.user'](ids),
      this.usersOfTenants(ids),
      this.clientIds(ids).then((clientIds) => this.clients(clientIds)),
    ]);
    return ids.map((_, at) => all.map((named) => named[at]).find((one) => one !== undefined));
  }

  /** Ids of clients, which act under the claims of their tokens. */
  private clientIds(actors: readonly string[]): Promise<readonly string[]> {
    return Promise.all(
      actors.map(async (actor) => {
        const own = ownClientId(actor);
        return (await this.access.broughtOver(own)) ?? own;
      }),
    );
  }

  private async keyNames(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const inForce = new Map((await this.keys.all()).map(({ keyId, name }) => [keyId, name]));
    return ids.map((id) => found(inForce.get(id) ?? this.formerKey(id)));
  }

  /** Name of a revoked key; also `undefined` while the audit index is built. */
  private formerKey(id: string): string | undefined {
    try {
      return this.audit.index.keyName(id) ?? undefined;
    } catch (error) {
      if (error instanceof AuditIndexIncomplete) return undefined;
      throw error;
    }
  }

  private async subscriptions(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const records = await this.subjects.ever(ids.map((id) => ({ service: 'messaging', kind: 'subscription', id })));
    return Promise.all(
      ids.map(async (subscriptionId, at) => {
        const projectId = records[at]?.owner?.slice('project-'.length);
        if (projectId === undefined) return undefined;
        const [project, subscription] = await Promise.all([
          this.accounts.project(projectId),
          this.resources.subscriptionById({ projectId, subscriptionId }),
        ]);
        return project && found(subscription?.name, { place: project.name });
      }),
    );
  }

  private async recomputationNames(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const records = await this.subjects.ever(ids.map((id) => ({ service: 'status', kind: 'recomputation', id })));
    const tenantIds = records.map((record) => record?.owner?.slice('tenant-'.length) ?? '');
    const [places, documents] = await Promise.all([
      this.tenants.names(tenantIds, new TimeSlice()),
      Promise.all(ids.map((id, at) => this.recomputations.recomputation({ tenantId: tenantIds[at] ?? '', id }))),
    ]);
    return documents.map((document, at) => document && found(recomputationName(document), { place: places[at] }));
  }

  private async logged(kind: LoggedKind, ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const records = await loggedNames(this.audit, this.events, kind, ids);
    const owners = records.flatMap((record) => record?.owner ?? []);
    const places = await this.find(owners.map((owner) => ({ kind: `${owner.service}.${owner.kind}` as NamedKind, id: owner.id })));
    return records.map((record) => {
      if (!record) return undefined;
      if (record.isGone) return { name: formerName(kind.slice(kind.indexOf('.') + 1)), isGone: true };
      return found(record.name, { place: places.find(({ id }) => id === record.owner?.id)?.name ?? undefined });
    });
  }

  private async clients(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    return (await this.access.clientsById(ids)).map((client) => found(client?.name, { isPerson: true }));
  }

  private async usersOfTenants(ids: readonly string[]): Promise<readonly FoundOrNot[]> {
    const users = await this.tenants.users(ids);
    const tenantIds = [...new Set(users.flatMap((user) => user?.tenantId ?? []))];
    const names = await this.tenants.names(tenantIds, new TimeSlice());
    const byId = new Map(tenantIds.map((id, at) => [id, names[at]]));
    return users.map((user) => found(user?.name, { place: byId.get(user?.tenantId ?? ''), isPerson: true }));
  }
}

/** Recomputations have no names of their own. */
export const recomputationName = ({ report, start_time, end_time }: RecomputationDocument): string =>
  `${report}, ${start_time.slice(0, 10)} to ${end_time.slice(0, 10)}`;

/** Users act as `<claim>@<issuer>`; those with Logbook's own tokens without the issuer. */
const ownClientId = (actor: string): string => {
  const at = actor.lastIndexOf('@http');
  return at < 0 ? actorIdOf(OWN_ISSUER, actor) : actorIdOf(actor.slice(at + 1), actor.slice(0, at));
};

const actorRecords = (id: string): readonly ErasableRecord[] => [
  { service: 'messaging', kind: 'user', id },
  { service: 'status', kind: 'user', id },
  { service: 'accounting', kind: 'client', id: ownClientId(id) },
];

const PEOPLE = ['user', 'client', 'registration'];

const formerName = (kind: string): string => (PEOPLE.includes(kind) ? 'erased user' : `deleted ${kind.replaceAll('_', ' ')}`);
