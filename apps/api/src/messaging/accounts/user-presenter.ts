import type { Membership } from '#domain/messaging/accounts/account-events.js';
import { readAcross } from '#infra/projection-runner/set-aside/partitioned-view.js';
import type { UserDocument } from '#projections/messaging/accounts/account-documents.js';
import { RESOURCES_PROJECTION, resourceCollections } from '#projections/messaging/resources/resource-documents.js';
import { keysUnder } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import type { AccountReader } from './account-reader.js';
import { type ProjectItem, userView } from './account-views.js';

/**
 * How much of a user is shown (messaging contract 3.2). `onlyIn`: the view of who is no service administrator: of the memberships only that
 * in this project, and neither the token nor service roles nor who created it. `withoutProjects`: no memberships at all. `created`: names of
 * projects by id that the same call created, so that read models may not know them yet.
 */
export type UserViewOptions = Readonly<{ onlyIn?: string; withoutProjects?: boolean; created?: ReadonlyMap<string, string> }>;

type OwnMembership = Membership & Readonly<{ userId: string }>;

/** Users as they stand in responses: with names of projects and creators as they are now, and what ACLs let them use. */
export class UserPresenter {
  private readonly resources: ReadView;

  constructor(
    private readonly accounts: AccountReader,
    store: ReadStore,
  ) {
    this.resources = store.view(RESOURCES_PROJECTION);
  }

  /** In the order given. As many lookups for many users as for one. */
  async present(users: readonly UserDocument[], options: UserViewOptions = {}): Promise<readonly object[]> {
    const { onlyIn, withoutProjects = false, created } = options;
    const shown = onlyIn === undefined ? users : users.map(discreet);
    const memberships = withoutProjects ? [] : users.flatMap((user) => membershipsOf(user, onlyIn));
    const [items, creators] = await Promise.all([
      this.itemsOf(memberships, created),
      this.accounts.namesOf(shown.flatMap(({ createdBy }) => createdBy ?? [])),
    ]);
    return shown.map((user) => userView(user, items.get(user.userId) ?? [], creators.get(user.createdBy ?? '')));
  }

  /** By user. Memberships of projects that are gone are left out. */
  private async itemsOf(
    memberships: readonly OwnMembership[],
    created: ReadonlyMap<string, string> = new Map(),
  ): Promise<ReadonlyMap<string, readonly ProjectItem[]>> {
    const ids = [...new Set(memberships.map(({ projectId }) => projectId))];
    const [projects, topics, subscriptions] = await Promise.all([
      this.accounts.projects(ids),
      this.accessible(resourceCollections.topicsOfUser, memberships),
      this.accessible(resourceCollections.subscriptionsOfUser, memberships),
    ]);
    const names = new Map(projects.map((project) => [project?.projectId, project?.name]));
    const items = new Map<string, ProjectItem[]>();
    for (const [index, { userId, projectId, roles }] of memberships.entries()) {
      const project = names.get(projectId) ?? created.get(projectId);
      if (project === undefined) continue;
      const item = { project, roles, topics: topics[index] ?? [], subscriptions: subscriptions[index] ?? [] };
      items.set(userId, [...(items.get(userId) ?? []), item]);
    }
    return items;
  }

  /** The names of what the user may use, for each membership. */
  private async accessible(collection: string, memberships: readonly OwnMembership[]): Promise<readonly (readonly string[])[]> {
    if (memberships.length === 0) return [];
    const ranges = memberships.map(({ projectId, userId }) => keysUnder(projectId, userId));
    const found = await readAcross(RESOURCES_PROJECTION, () => this.resources.ranges(collection, ranges));
    return found.map((entries) => entries.map(({ value }) => JSON.parse(value.toString('utf8')) as string));
  }
}

const membershipsOf = ({ userId, memberships }: UserDocument, onlyIn: string | undefined): OwnMembership[] =>
  memberships
    .filter(({ projectId }) => onlyIn === undefined || projectId === onlyIn)
    .map(({ projectId, roles }) => ({ userId, projectId, roles }));

const discreet = (user: UserDocument): UserDocument => ({ ...user, token: '', serviceRoles: [], createdBy: null });
