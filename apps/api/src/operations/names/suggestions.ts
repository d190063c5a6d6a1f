import { Injectable } from '@nestjs/common';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { OWN_ISSUER } from '#infra/edges/oidc/own-tokens.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { AccessQueries, type ClientView, type OidcTenantView } from '#projections/accounting/access/queries.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { inParts } from '#projections/messaging/newest-first.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import { type RecomputationDocument, RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { LOGGED_KINDS, type LoggedKind } from './logged-names.js';
import { type FoundName, NAMED_KINDS, type NamedKind, type NamedRecord, Names, recomputationName } from './names.js';

/** Kinds of records that can be selected by name. */
export type SuggestedKind = Exclude<NamedKind, LoggedKind | 'accounting.installation'>;

const OTHERS: readonly NamedKind[] = [...LOGGED_KINDS, 'accounting.installation'];
export const SUGGESTED_KINDS = NAMED_KINDS.filter((kind): kind is SuggestedKind => !OTHERS.includes(kind));

type Candidate = NamedRecord & FoundName;
type Candidates = AsyncIterable<readonly Candidate[]>;

type SearchOptions = Readonly<{ limit: number; shown: (found: FoundName) => string; gone: AbortSignal }>;

/** Maximum number of searched records of a kind; others are found by their ids. */
const MOST_LOOKED_AT = 10_000;
const AT_A_TIME = 1_000;

/** Records by parts of their names. */
@Injectable()
export class Suggestions {
  private readonly sources: Readonly<Record<SuggestedKind, () => Candidates>> = {
    actor: () => this.actors(),
    'ops.key': () => this.keyCandidates(),
    'messaging.project': () => this.messagingProjects(),
    'messaging.user': () => this.messagingUsers(),
    'messaging.registration': () => this.registrations(),
    'messaging.subscription': () => this.subscriptions(),
    'accounting.project': () =>
      this.windows(
        (window) => this.lists.projects(window),
        ({ id, acronym }) => ({ kind: 'accounting.project', id, name: acronym }),
      ),
    'accounting.provider': () =>
      this.windows(
        (window) => this.lists.providers(window),
        (bytes) => {
          const { id, name } = parsed<Readonly<{ id: string; name: string }>>(bytes);
          return { kind: 'accounting.provider', id, name };
        },
      ),
    'accounting.client': () => this.clients(({ id }) => id),
    'accounting.oidc_tenant': () =>
      this.windows(
        (window) => this.access.oidcTenants(window),
        (bytes) => {
          const { id, tenant_id: name } = parsed<OidcTenantView>(bytes);
          return { kind: 'accounting.oidc_tenant', id, name };
        },
      ),
    'status.tenant': () => this.tenantCandidates(),
    'status.user': () => this.usersOfTenants(),
    'status.recomputation': () => this.recomputationCandidates(),
  };

  constructor(
    private readonly names: Names,
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly access: AccessQueries,
    private readonly lists: CatalogueLists,
    private readonly tenants: TenantQueries,
    private readonly recomputations: RecomputationQueries,
    private readonly keys: AccessKeyQueries,
  ) {}

  /**
   * Records with a text in their name, best first, or the one with this id. `shown`: the name under which the caller may find it. Without a
   * text, the first records. Some of them once the caller is `gone`.
   */
  of(kind: SuggestedKind, text: string, options: SearchOptions): Promise<readonly Candidate[]> {
    return readAcross(() => this.find(kind, text, options));
  }

  private async find(kind: SuggestedKind, text: string, { limit, shown, gone }: SearchOptions): Promise<readonly Candidate[]> {
    const found: (Candidate & Readonly<{ rank: number; label: string }>)[] = [];
    for await (const page of lookedThrough(this.sources[kind](), gone))
      for (const candidate of page) {
        const label = shown(candidate);
        const rank = rankOf(label, candidate.id, text);
        if (rank < NONE) found.push({ ...candidate, rank, label });
      }
    // By the names that the caller sees: the order must not tell hidden ones.
    const byLabel = found.sort((one, other) => one.rank - other.rank || compare(one.label, other.label) || compare(one.id, other.id));
    const best = byLabel.slice(0, limit).map(({ rank: _, label: __, ...candidate }) => candidate);
    return best.length > 0 || text === '' ? best : this.byId(kind, text);
  }

  /** Also finds deleted records, if the caller has their id. */
  private async byId(kind: SuggestedKind, id: string): Promise<readonly Candidate[]> {
    const named = await this.names.of([{ kind, id }]);
    return named.flatMap(({ name, place, isPerson, state }) =>
      state === 'unknown' || name === null ? [] : [{ kind, id, name, place: place ?? undefined, ...(isPerson && { isPerson }) }],
    );
  }

  /** Records of a kind, page by page. */
  candidates(kind: SuggestedKind): Candidates {
    return this.sources[kind]();
  }

  /** Users of all services, by the ids under which they act. */
  async *users(): AsyncIterable<readonly (Candidate & Readonly<{ service: string }>)[]> {
    const sources = { messaging: this.messagingUsers(), status: this.usersOfTenants(), accounting: this.clients(actorOf) };
    for (const [service, source] of Object.entries(sources))
      for await (const page of source) yield page.map((candidate) => ({ ...candidate, kind: 'actor' as const, service }));
  }

  private async *actors(): Candidates {
    for await (const page of this.keyCandidates()) yield page.map((candidate) => ({ ...candidate, kind: 'actor' as const }));
    yield* this.users();
  }

  private async *keyCandidates(): Candidates {
    yield (await this.keys.all()).map(({ keyId, name }) => ({ kind: 'ops.key', id: keyId, name }));
  }

  private async *messagingProjects(): Candidates {
    const projects = await this.accounts.allProjects(new TimeSlice());
    yield projects.map(({ projectId, name }) => ({ kind: 'messaging.project', id: projectId, name }));
  }

  private async *messagingUsers(): Candidates {
    let first: string | undefined;
    do {
      const { items, next } = await this.accounts.listUsers({ size: AT_A_TIME, counted: false, ...(first !== undefined && { first }) });
      yield items.map(({ userId, name }) => ({ kind: 'messaging.user', id: userId, name }));
      first = next;
    } while (first !== undefined);
  }

  private async *registrations(): Candidates {
    const all = await this.accounts.registrations(new TimeSlice());
    yield all.map(({ registrationId, name }) => ({ kind: 'messaging.registration', id: registrationId, name }));
  }

  private async *subscriptions(): Candidates {
    for (const { projectId, name: place } of await this.accounts.allProjects(new TimeSlice())) {
      const all = inParts((page) => this.resources.subscriptions(projectId, page), { size: 0, counted: false }, new TimeSlice());
      for await (const { items } of all)
        yield items.map(({ subscriptionId, name }) => ({ kind: 'messaging.subscription', id: subscriptionId, name, place }));
    }
  }

  private clients(idOf: (client: ClientView) => string): Candidates {
    return this.windows(
      (window) => this.access.clients(window),
      (bytes) => {
        const client = parsed<ClientView>(bytes);
        return { kind: 'accounting.client', id: idOf(client), name: client.name, isPerson: true };
      },
    );
  }

  private async *tenantCandidates(): Candidates {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      yield page.map(({ id, info }) => ({ kind: 'status.tenant', id, name: info.name }));
  }

  private async *usersOfTenants(): Candidates {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      yield page.flatMap(({ info, users }) =>
        users.map(({ id, name }) => ({ kind: 'status.user' as const, id, name, place: info.name, isPerson: true as const })),
      );
  }

  private async *recomputationCandidates(): Candidates {
    for await (const page of this.tenants.byCreation(new TimeSlice()))
      for (const { id: tenantId, info } of page)
        for await (const listed of this.recomputations.list(tenantId, {}, new TimeSlice()))
          yield listed.map((bytes) => {
            const document = parsed<RecomputationDocument>(bytes);
            return { kind: 'status.recomputation', id: document.id, name: recomputationName(document), place: info.name };
          });
  }

  private async *windows<Item>(
    read: (window: Readonly<{ offset: number; size: number }>) => Promise<Readonly<{ content: readonly Item[] }>>,
    candidateOf: (item: Item) => Candidate,
  ): Candidates {
    for (let offset = 0; ; offset += AT_A_TIME) {
      const { content } = await read({ offset, size: AT_A_TIME });
      yield content.map(candidateOf);
      if (content.length < AT_A_TIME) return;
    }
  }
}

/**
 * Pages up to the maximum number of records, in slices of time, because reads of embedded stores return at once. A wait for a page uses up one slice,
 * however long it is, so that a busy machine does not shorten a search.
 * @param gone aborted when nobody waits for more of them
 * @param mostSlices after which it ends. Default: any number
 */
export async function* lookedThrough<Item>(
  pages: AsyncIterable<readonly Item[]>,
  gone: AbortSignal,
  mostSlices = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Item[]> {
  const slice = new TimeSlice();
  let [looked, slices] = [0, 0];
  for await (const page of pages) {
    yield page;
    looked += page.length;
    if (looked >= MOST_LOOKED_AT || gone.aborted) return;
    if (!slice.isOver) continue;
    slices += 1;
    if (slices >= mostSlices) return;
    await slice.next();
  }
}

const parsed = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Id under which a client acts. */
const actorOf = ({ oidc_id, issuer }: ClientView): string => (issuer === OWN_ISSUER ? oidc_id : `${oidc_id}@${issuer}`);

export const NONE = 5;

/** Match of a text: an id is best, {@link NONE} is no match. */
export const rankOf = (label: string, id: string, text: string): number => {
  if (id === text) return -1;
  const [name, wanted] = [label.toLowerCase(), text.toLowerCase()];
  if (name === wanted) return 0;
  const at = name.indexOf(wanted);
  if (at === 0) return 1;
  if (at > 0) return /[\s\-_.]/.test(name[at - 1] ?? '') ? 2 : 3;
  return wanted.length >= 4 && id.toLowerCase().startsWith(wanted) ? 4 : NONE;
};
