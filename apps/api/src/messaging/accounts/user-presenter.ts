import { Inject, Injectable } from '@nestjs/common';
import { listAnswer } from '#api/messaging/answers/long-list.js';
import type { Answer } from '#api/shared/http/answer.js';
import { CONFIGURATION } from '#api/shared/tokens.js';
import type { Membership } from '#domain/messaging/accounts/account-events.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { AccountQueries, type UserDocument } from '#projections/messaging/accounts/queries.js';
import type { ListPart } from '#projections/messaging/newest-first.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { type ProjectItem, type UserView, userView } from './account-views.js';

/**
 * Extent of the view of a user (messaging contract 3.2).
 * - `onlyIn`: for callers who are no service administrators: only the membership in this project; no token, service roles or creator.
 * - `withoutProjects`: no memberships.
 * - `madeToken`: token that the call created. It is shown even if reads do not show tokens (messaging contract 1.8).
 * - `created`: names, by id, of projects that the same call created. The read models may not show them yet.
 */
export type UserViewOptions = Readonly<{
  onlyIn?: string;
  withoutProjects?: boolean;
  madeToken?: boolean;
  created?: ReadonlyMap<string, string>;
}>;

/** Memberships of users that are presented together; the last user may have more. */
const MEMBERSHIPS_AT_ONCE = 1_000;

type OwnMembership = Membership & Readonly<{ userId: string }>;

/** Presents users in responses: with current names of projects and creators, and the resources that ACLs let them use. */
@Injectable()
export class UserPresenter {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'messagingTokensShown'>,
  ) {}

  async presentOne(user: UserDocument, options?: UserViewOptions): Promise<UserView> {
    const [view] = await this.present([user], options);
    if (!view) throw new Error('a user has no view');
    return view;
  }

  /** A list of users; other requests run between its parts. */
  list(parts: AsyncIterable<ListPart<UserDocument>>, options: UserViewOptions): Promise<Answer> {
    return listAnswer('users', options.withoutProjects ? parts : smallerParts(parts), (users) => this.present(users, options));
  }

  /** Keeps the order. The number of lookups does not depend on the number of users, only on that of their memberships. */
  private async present(users: readonly UserDocument[], options: UserViewOptions = {}): Promise<readonly UserView[]> {
    const { onlyIn, withoutProjects = false, madeToken = false, created } = options;
    const showsToken = madeToken || this.configuration.messagingTokensShown === 'always';
    const known = showsToken ? users : users.map((user) => ({ ...user, token: '' }));
    const shown = onlyIn === undefined ? known : known.map(discreet);
    const memberships = withoutProjects ? [] : users.flatMap((user) => membershipsOf(user, onlyIn));
    const [items, creators] = await Promise.all([
      this.itemsOf(memberships, created),
      this.accounts.namesOf(shown.flatMap(({ createdBy }) => createdBy ?? [])),
    ]);
    return shown.map((user) => userView(user, items.get(user.userId) ?? [], creators.get(user.createdBy ?? '')));
  }

  /** Items by user. Memberships of deleted projects are left out. */
  private async itemsOf(
    memberships: readonly OwnMembership[],
    created: ReadonlyMap<string, string> = new Map(),
  ): Promise<ReadonlyMap<string, readonly ProjectItem[]>> {
    const ids = [...new Set(memberships.map(({ projectId }) => projectId))];
    const slice = new TimeSlice();
    const [projects, topics, subscriptions] = await Promise.all([
      this.accounts.projects(ids),
      readAcross(() => this.resources.accessibleTopics(memberships, slice)),
      readAcross(() => this.resources.accessibleSubscriptions(memberships, slice)),
    ]);
    const names = new Map(projects.map((project) => [project?.projectId, project?.name]));
    const items = new Map<string, ProjectItem[]>();
    for (const [index, { userId, projectId, roles }] of memberships.entries()) {
      const project = names.get(projectId) ?? created.get(projectId);
      if (project === undefined) continue;
      const item = { project, roles, topics: topics[index] ?? [], subscriptions: subscriptions[index] ?? [] };
      const own = items.get(userId);
      if (own) own.push(item);
      else items.set(userId, [item]);
    }
    return items;
  }
}

/** The same users in parts of fewer memberships. */
async function* smallerParts(parts: AsyncIterable<ListPart<UserDocument>>): AsyncGenerator<ListPart<UserDocument>> {
  for await (const part of parts) {
    let [items, memberships]: [UserDocument[], number] = [[], 0];
    for (const user of part.items) {
      items.push(user);
      memberships += user.memberships.length;
      if (memberships < MEMBERSHIPS_AT_ONCE) continue;
      yield { ...part, items };
      [items, memberships] = [[], 0];
    }
    yield { ...part, items };
  }
}

const membershipsOf = ({ userId, memberships }: UserDocument, onlyIn: string | undefined): OwnMembership[] =>
  memberships
    .filter(({ projectId }) => onlyIn === undefined || projectId === onlyIn)
    .map(({ projectId, roles }) => ({ userId, projectId, roles }));

/** Removes the members that only service administrators see. */
const discreet = (user: UserDocument): UserDocument => ({ ...user, token: '', serviceRoles: [], createdBy: null });
