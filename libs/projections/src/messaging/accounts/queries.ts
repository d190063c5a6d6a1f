import { type ListPart, type Page, readPage } from '#projections/messaging/newest-first.js';
import type { Collection } from '#projections/shared/collection.js';
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

/** Users of an ACL that are looked up together: their documents are read for a name or an id. */
const USERS_AT_ONCE = 250;

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

  users(ids: readonly string[]): Promise<readonly (UserDocument | undefined)[]> {
    return this.several(users, ids);
  }

  async usersNamed(names: readonly string[]): Promise<readonly (UserDocument | undefined)[]> {
    const references = await this.several(usersByName, names);
    const known = references.flatMap((reference) => reference?.userId ?? []);
    const byId = new Map((await this.users(known)).map((user) => [user?.userId, user]));
    return references.map((reference) => reference && byId.get(reference.userId));
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

  /** User ids for an ACL: of the members of a project with these names. */
  async membersNamed(projectId: string, names: readonly string[]): Promise<readonly (string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for (let start = 0; start < names.length; start += USERS_AT_ONCE)
      for (const user of await this.usersNamed(names.slice(start, start + USERS_AT_ONCE)))
        ids.push(user && isMember(user, projectId) ? user.userId : undefined);
    return ids;
  }

  /** Current names of existing users by id, for ACLs and creators. */
  async namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const wanted = [...new Set(ids)];
    for (let start = 0; start < wanted.length; start += USERS_AT_ONCE)
      for (const user of await this.users(wanted.slice(start, start + USERS_AT_ONCE))) if (user) names.set(user.userId, user.name);
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
