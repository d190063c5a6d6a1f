import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_EVENTS, READ_STORE } from '#api/shared/tokens.js';
import { actorIdOf } from '#domain/accounting/access/clients.js';
import type { ErasableService } from '#domain/operations/erasures.js';
import type { LoggedKind, NamedKind } from '#domain/operations/named-kinds.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { type AnyDated, kindOfDated } from '#domain/status/dated-records/dated-records.js';
import { datedResources } from '#domain/status/index.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { unlessIncomplete } from '#infra/engine/audit-index/index-files.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { AccessQueries, type ClientView } from '#projections/accounting/access/queries.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AccountQueries, type UserDocument } from '#projections/messaging/accounts/queries.js';
import { inParts, type ListPart, type Page } from '#projections/messaging/newest-first.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import { SubjectQueries } from '#projections/operations/subjects/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { DatedQueries } from '#projections/status/dated-records/queries.js';
import { type RecomputationDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { DatedNames } from './dated-names.js';
import { type Pages, paged } from './pages.js';

/** `place`: name of its tenant or project. `within`: id of the tenant or name of the project. `isPerson`: set if the name is personal. */
export type NamedEntry = Readonly<{ id: string; name: string; place?: string | undefined; within?: string; isPerson?: true }>;

/** Kinds of dated records. */
type ProfileKind = 'status.weights' | `status.${'metric' | 'operations' | 'aggregation' | 'thresholds'}_profile`;

type Ids = readonly string[];
type Found = NamedEntry | undefined;
/** `byId`: in the order of the ids. */
type Source = Readonly<{ byId: (ids: Ids) => Promise<readonly Found[]>; all?: () => Pages<NamedEntry> }>;

const AT_A_TIME = 1_000;
const EVERY = { size: 0, counted: false } as const;

/** Records with names in the read models: by their ids, and all of a kind. */
@Injectable()
export class NamedRecords {
  readonly kinds = {
    actor: { byId: (ids) => this.actorsById(ids), all: () => this.actors() },
    'ops.key': source('keyId', 'name', { byId: (ids) => this.keysById(ids), all: () => this.keys.all() }),
    'messaging.project': source('projectId', 'name', {
      byId: (ids) => this.accounts.projects(ids),
      all: () => this.accounts.allProjects(new TimeSlice()),
    }),
    'messaging.user': {
      byId: async (ids) => {
        const names = await this.accounts.namesOf(ids);
        return ids.map((id) => entry(id, names.get(id)));
      },
      all: () => paged(this.accountsOfUsers(), (users) => users.map(({ userId: id, name }) => ({ id, name }))),
    },
    'messaging.registration': source('registrationId', 'name', {
      byId: each((id) => this.accounts.registration(id)),
      all: () => this.accounts.registrations(new TimeSlice()),
    }),
    'messaging.subscription': { byId: (ids) => this.subscriptionsById(ids), all: () => this.subscriptions() },
    'accounting.project': source('id', 'acronym', {
      byId: async (ids) => inOrder(ids, await this.catalogue.projects(ids)),
      all: () => this.lists.allProjects(),
    }),
    'accounting.provider': source('id', 'name', {
      byId: async (ids) => inOrder(ids, await this.catalogue.providers(ids)),
      all: () => this.lists.allProviders(),
    }),
    'accounting.installation': { byId: each(async (id) => entry(id, (await this.catalogue.installationById(id))?.installation)) },
    'accounting.client': source('id', 'name', {
      byId: (ids) => this.access.clientsById(ids),
      all: () => this.access.allClients(),
      isPerson: true,
    }),
    'accounting.oidc_tenant': source('id', 'tenant_id', {
      byId: each((id) => this.access.oidcTenant(id)),
      all: () => this.access.allOidcTenants(),
    }),
    'status.tenant': {
      byId: async (ids) => (await this.tenantNames(ids)).map((name, at) => entry(ids[at], name)),
      all: () => paged(this.tenants.byCreation(new TimeSlice()), (page) => page.map(({ id, info: { name } }) => ({ id, name }))),
    },
    'status.user': { byId: (ids) => this.usersById(ids), all: () => this.usersOfTenants() },
    'status.recomputation': { byId: (ids) => this.recomputationsById(ids), all: () => this.ofTenants((id) => this.recomputationsOf(id)) },
  } satisfies Readonly<Record<Exclude<NamedKind, LoggedKind>, Source>>;

  private readonly datedNames: readonly (readonly [AnyDated, DatedNames])[];

  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly access: AccessQueries,
    private readonly catalogue: CatalogueQueries,
    private readonly lists: CatalogueLists,
    private readonly tenants: TenantQueries,
    private readonly reportQueries: ReportQueries,
    private readonly recomputations: RecomputationQueries,
    private readonly keys: AccessKeyQueries,
    private readonly subjects: SubjectQueries,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(AUDIT_EVENTS) private readonly audit: AuditEvents,
  ) {
    this.datedNames = datedResources.map((resource) => [resource, new DatedNames(new DatedQueries(store, resource))]);
  }

  /** Users of all services, by the ids under which they act. `place`: their tenant or service. */
  async *users(): Pages<NamedEntry> {
    for await (const page of this.kinds['messaging.user'].all()) yield page.map((user) => ({ ...user, place: 'messaging' }));
    yield* this.usersOfTenants();
    for await (const page of this.access.allClients())
      yield page.map((client) => ({ id: actorOf(client), name: client.name, place: 'accounting', isPerson: true }));
  }

  topics(): Pages<NamedEntry> {
    return this.inProjects('topicId', (projectId, page) => this.resources.topics(projectId, page));
  }

  /** By their names, which are their ids here. */
  reports(): Pages<NamedEntry> {
    return this.ofTenants((tenantId) =>
      paged(this.reportQueries.names(tenantId, AT_A_TIME, new TimeSlice()), (names) => names.map((name) => ({ id: name, name }))),
    );
  }

  /** Dated records by their newest names. */
  async *profiles(): Pages<NamedEntry & Readonly<{ kind: ProfileKind }>> {
    const { datedNames } = this;
    yield* this.ofTenants(async function* (tenantId) {
      for (const [resource, names] of datedNames)
        yield* paged(names.of(tenantId), (page) =>
          page.map((found) => ({ ...found, kind: `status.${kindOfDated(resource)}` as ProfileKind })),
        );
    });
  }

  private async actorsById(ids: Ids): Promise<readonly Found[]> {
    const clientIds = await Promise.all(ids.map(async (id) => (await this.access.broughtOver(ownClientId(id))) ?? ownClientId(id)));
    const { 'ops.key': keys, 'messaging.user': accounts, 'status.user': users, 'accounting.client': clients } = this.kinds;
    const all = await Promise.all([keys.byId(ids), accounts.byId(ids), users.byId(ids), clients.byId(clientIds)]);
    return ids.map((_, at) => all.map((found) => found[at]).find((one) => one !== undefined));
  }

  private async *actors(): Pages<NamedEntry> {
    yield* this.kinds['ops.key'].all();
    yield* this.users();
  }

  /** Revoked keys, too, once the audit index is built. */
  private async keysById(ids: Ids): Promise<readonly (Readonly<{ keyId: string; name: string }> | undefined)[]> {
    const inForce = new Map((await this.keys.all()).map((key) => [key.keyId, key]));
    const formerKey = async (keyId: string) => {
      const name = await unlessIncomplete(() => this.audit.index.keyName(keyId), null);
      return name === null ? undefined : { keyId, name };
    };
    return Promise.all(ids.map((id) => inForce.get(id) ?? formerKey(id)));
  }

  private async subscriptionsById(ids: Ids): Promise<readonly Found[]> {
    const projectIds = await this.ownersOf('messaging', 'subscription', ids);
    const found = projectIds.map(async (projectId, at) => {
      const id = ids[at] ?? '';
      if (projectId === undefined) return undefined;
      const [project, subscription] = await Promise.all([
        this.accounts.project(projectId),
        this.resources.subscriptionById({ projectId, subscriptionId: id }),
      ]);
      return project && entry(id, subscription?.name, { place: project.name });
    });
    return Promise.all(found);
  }

  private accountsOfUsers(): Pages<UserDocument> {
    return paged(
      inParts((page) => this.accounts.listUsers(page), EVERY, new TimeSlice()),
      ({ items }) => items,
    );
  }

  private subscriptions(): Pages<NamedEntry> {
    return this.inProjects('subscriptionId', (projectId, page) => this.resources.subscriptions(projectId, page));
  }

  private recomputationsOf(tenantId: string): Pages<NamedEntry> {
    const all = this.recomputations.list(tenantId, {}, new TimeSlice());
    return paged(all, (page) => page.map((bytes) => recomputationEntry(parsed(bytes))));
  }

  private async recomputationsById(ids: Ids): Promise<readonly Found[]> {
    const tenantIds = (await this.ownersOf('status', 'recomputation', ids)).map((owner = '') => owner);
    const [places, documents] = await Promise.all([
      this.tenantNames(tenantIds),
      Promise.all(ids.map((id, at) => this.recomputations.recomputation({ tenantId: tenantIds[at] ?? '', id }))),
    ]);
    return documents.map((document, at) => document && { ...recomputationEntry(document), place: places[at] });
  }

  /** Ids of the project or tenant of records, deleted ones included. */
  private async ownersOf(service: ErasableService, kind: string, ids: Ids): Promise<readonly (string | undefined)[]> {
    const records = await this.subjects.ever(ids.map((id) => ({ service, kind, id })));
    return records.map((record) => record?.owner?.slice(record.owner.indexOf('-') + 1));
  }

  private async usersById(ids: Ids): Promise<readonly Found[]> {
    const users = await this.tenants.users(ids);
    const tenantIds = [...new Set(users.flatMap((user) => user?.tenantId ?? []))];
    const names = await this.tenantNames(tenantIds);
    return users.map((user, at) => entry(ids[at], user?.name, { place: names[tenantIds.indexOf(user?.tenantId ?? '')], isPerson: true }));
  }

  private usersOfTenants(): Pages<NamedEntry> {
    return paged(this.tenants.byCreation(new TimeSlice()), (page) =>
      page.flatMap(({ info, users }) => users.map(({ id, name }) => ({ id, name, place: info.name, isPerson: true as const }))),
    );
  }

  private tenantNames(ids: Ids): Promise<readonly (string | undefined)[]> {
    return this.tenants.names(ids, new TimeSlice());
  }

  private async *ofTenants<Entry extends NamedEntry>(list: (tenantId: string) => Pages<Entry>): Pages<Entry> {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      for (const { id: within, info } of page)
        yield* paged(list(within), (entries) => entries.map((one) => ({ ...one, place: info.name, within })));
  }

  private async *inProjects<Id extends string>(
    id: Id,
    list: (projectId: string, page: Page) => Promise<ListPart<Readonly<Record<Id | 'name', string>>>>,
  ): Pages<NamedEntry> {
    for (const { projectId, name: place } of await this.accounts.allProjects(new TimeSlice())) {
      const parts = inParts((page) => list(projectId, page), EVERY, new TimeSlice());
      yield* paged(parts, ({ items }) => items.map((item) => ({ id: item[id], name: item.name, place, within: place })));
    }
  }
}

type Documents<Document> = Readonly<{
  byId: (ids: Ids) => Promise<readonly (Document | undefined)[]>;
  all: () => AsyncIterable<readonly Document[]> | Promise<readonly Document[]>;
  isPerson?: true;
}>;

/** A source of documents. @param id @param name members of a document */
const source = <Id extends string, Name extends string>(
  id: Id,
  name: Name,
  { byId, all, isPerson }: Documents<Readonly<Record<Id | Name, string>>>,
) => {
  const entryOf = (document: Readonly<Record<Id | Name, string>>): NamedEntry => ({
    id: document[id],
    name: document[name],
    ...(isPerson && { isPerson }),
  });
  return {
    byId: async (ids: Ids) => (await byId(ids)).map((document) => document && entryOf(document)),
    all: () => paged(all(), (documents) => documents.map(entryOf)),
  };
};

const each =
  <Document>(read: (id: string) => Promise<Document>) =>
  (ids: Ids): Promise<readonly Document[]> =>
    Promise.all(ids.map(read));

const inOrder = <Document>(ids: Ids, found: ReadonlyMap<string, Document>): readonly (Document | undefined)[] =>
  ids.map((id) => found.get(id));

const entry = (id: string | undefined, name: string | undefined, rest: Partial<NamedEntry> = {}): Found =>
  id === undefined || name === undefined ? undefined : { ...rest, id, name };

const parsed = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** Recomputations have no names of their own. */
const recomputationEntry = ({ id, report, start_time, end_time }: RecomputationDocument): NamedEntry => ({
  id,
  name: `${report}, ${start_time.slice(0, 10)} to ${end_time.slice(0, 10)}`,
});

/** Id under which a client acts. */
const actorOf = ({ oidc_id, issuer }: ClientView): string => (issuer === OWN_ISSUER ? oidc_id : `${oidc_id}@${issuer}`);

/** Id of a client by that under which it acts: `<claim>@<issuer>`; with Logbook's own tokens without the issuer. */
export const ownClientId = (actor: string): string => {
  const at = actor.lastIndexOf('@http');
  return at < 0 ? actorIdOf(OWN_ISSUER, actor) : actorIdOf(actor.slice(at + 1), actor.slice(0, at));
};
