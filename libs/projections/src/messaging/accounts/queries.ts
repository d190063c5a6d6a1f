import { TimeSlice } from '#domain/shared/time-slice.js';
import { type ListPart, type Page, readPage } from '#projections/messaging/newest-first.js';
import type { Collection } from '#projections/shared/collection.js';
import { keysUnder } from '#projections/shared/key-part.js';
import { pagesOf, type Slice } from '#projections/shared/pages.js';
import { queriesOf } from '#projections/shared/queries.js';
import {
  ACCOUNTS,
  members,
  type ProjectDocument,
  type ProjectReference,
  projects,
  projectsByName,
  type RegistrationDocument,
  registrations,
  type TokenDocument,
  tokens,
  type UserDocument,
  users,
  usersByName,
  usersInOrder,
} from './documents.js';

export type { ProjectDocument, ProjectReference, RegistrationDocument, TokenDocument, UserDocument } from './documents.js';
export { ACCOUNTS } from './documents.js';
export {
  type AccountFact,
  changedUser,
  createdProject,
  createdUser,
  revisedProject,
  submittedRegistration,
  type UserChange,
} from './states.js';

export const isMember = ({ memberships }: UserDocument, projectId: string): boolean =>
  memberships.some((membership) => membership.projectId === projectId);

/** Users that are read together: each may have thousands of memberships. */
const USERS_AT_ONCE = 25;

/** Projects, users and registrations of messaging. Lookups of several return them in the given order, `undefined` for missing ones. */
export class AccountQueries extends queriesOf(ACCOUNTS) {
  project(id: string): Promise<ProjectDocument | undefined> {
    return projects.get(this.view, id);
  }

  projects(ids: readonly string[]): Promise<readonly (ProjectDocument | undefined)[]> {
    return this.several(projects, ids);
  }

  projectNamed(name: string): Promise<ProjectReference | undefined> {
    return projectsByName.get(this.view, name);
  }

  projectsNamed(names: readonly string[]): Promise<readonly (ProjectReference | undefined)[]> {
    return this.several(projectsByName, names);
  }

  /** Whether there is any. */
  async hasProjects(): Promise<boolean> {
    return (await this.view.range(projects.name, { limit: 1 })).length > 0;
  }

  /** In order of creation. */
  allProjects(slice: Slice): Promise<readonly ProjectDocument[]> {
    return this.inOrder(projects, slice);
  }

  user(id: string): Promise<UserDocument | undefined> {
    return users.get(this.view, id);
  }

  async userNamed(name: string): Promise<UserDocument | undefined> {
    const reference = await usersByName.get(this.view, name);
    return reference && this.user(reference.userId);
  }

  async users(ids: readonly string[], slice: Slice = new TimeSlice()): Promise<readonly (UserDocument | undefined)[]> {
    const found: (UserDocument | undefined)[] = [];
    for await (const some of this.fewUsers(ids, slice)) found.push(...some);
    return found;
  }

  /** The user of the token with this hash. */
  tokenHolder(tokenHash: string): Promise<TokenDocument | undefined> {
    return tokens.get(this.view, tokenHash);
  }

  /** Newest first. With `projectId`: only members of that project. */
  async listUsers(page: Page, projectId?: string): Promise<ListPart<UserDocument>> {
    const part =
      projectId === undefined
        ? await readPage(this.view, usersInOrder, '', page)
        : await readPage(this.view, members, `${projectId}/`, page);
    const found = await this.users(part.items.map(({ value }) => usersInOrder.parse(value).userId));
    return { ...part, items: found.filter((user) => user !== undefined) };
  }

  /** All members of a project in order of creation. */
  async members(projectId: string, slice: Slice): Promise<readonly Pick<UserDocument, 'userId' | 'name'>[]> {
    const ids: string[] = [];
    for await (const page of pagesOf(this.view, members.name, keysUnder(projectId), { slice }))
      for (const { value } of page) ids.push(members.parse(value).userId);
    const names = await this.namesOf(ids, slice);
    return ids.flatMap((userId) => {
      const name = names.get(userId);
      return name === undefined ? [] : [{ userId, name }];
    });
  }

  /** User ids for an ACL: of the members of a project with these names. */
  async membersNamed(
    projectId: string,
    names: readonly string[],
    slice: Slice = new TimeSlice(),
  ): Promise<readonly (string | undefined)[]> {
    const references = await this.several(usersByName, names);
    const named = references.map((reference) => reference?.userId);
    const ids = new Set<string>();
    for await (const some of this.fewUsers(
      named.filter((id) => id !== undefined),
      slice,
    ))
      for (const user of some) if (user && isMember(user, projectId)) ids.add(user.userId);
    return named.map((id) => (id !== undefined && ids.has(id) ? id : undefined));
  }

  /** Current names of existing users by id, for ACLs and creators. */
  async namesOf(ids: readonly string[], slice: Slice = new TimeSlice()): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for await (const some of this.fewUsers([...new Set(ids)], slice)) for (const user of some) if (user) names.set(user.userId, user.name);
    return names;
  }

  /** Current name of the actor; `undefined` if the actor is not a user or no longer exists. */
  async nameOf(actor: string | null): Promise<string | undefined> {
    return actor === null ? undefined : (await this.namesOf([actor])).get(actor); // a bulk lookup works even while the actor is set aside
  }

  registration(id: string): Promise<RegistrationDocument | undefined> {
    return registrations.get(this.view, id);
  }

  /** In order of submission. */
  registrations(slice: Slice): Promise<readonly RegistrationDocument[]> {
    return this.inOrder(registrations, slice);
  }

  /** Users in the order of the ids, a few at a time, parsed in turns. */
  private async *fewUsers(ids: readonly string[], slice: Slice): AsyncGenerator<readonly (UserDocument | undefined)[]> {
    for (let start = 0; start < ids.length; start += USERS_AT_ONCE)
      yield await users.getMany(this.view, ids.slice(start, start + USERS_AT_ONCE), slice);
  }

  private async inOrder<Document extends Readonly<{ order: string }>>(
    collection: Collection<Document>,
    slice: Slice,
  ): Promise<readonly Document[]> {
    const documents: Document[] = [];
    for await (const page of pagesOf(this.view, collection.name, {}, { slice }))
      for (const { value } of page) documents.push(collection.parse(value));
    return documents.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  private async several<Document>(collection: Collection<Document>, ids: readonly string[]): Promise<readonly (Document | undefined)[]> {
    return ids.length === 0 ? [] : collection.getMany(this.view, ids);
  }
}
