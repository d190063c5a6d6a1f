import { type ListPart, type Page, readPage } from '#api/messaging/pagination.js';
import { rangeInParts } from '#api/shared/http/range-parts.js';
import type {
  ProjectDocument,
  ProjectReference,
  RegistrationDocument,
  UserDocument,
  UserReference,
} from '#projections/messaging/accounts/account-documents.js';
import { ACCOUNTS_PROJECTION, accountCollections } from '#projections/messaging/accounts/accounts.js';
import { keyPart } from '#projections/shared/key-part.js';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';

const parse = <Document>(bytes: Buffer): Document => JSON.parse(bytes.toString('utf8')) as Document;

/** Lookups of accounts that several resources need; those of many answer in the order asked, with nothing in place of what is not there. */
export class AccountReader {
  readonly view: ReadView;

  constructor(store: ReadStore) {
    this.view = store.view(ACCOUNTS_PROJECTION);
  }

  async project(id: string): Promise<ProjectDocument | undefined> {
    return this.document(accountCollections.projects, keyPart(id));
  }

  async user(id: string): Promise<UserDocument | undefined> {
    return this.document(accountCollections.users, keyPart(id)); // it may come from a path
  }

  async userNamed(name: string): Promise<UserDocument | undefined> {
    const reference = await this.document<UserReference>(accountCollections.usersByName, keyPart(name));
    return reference && this.user(reference.userId);
  }

  async projects(ids: readonly string[]): Promise<readonly (ProjectDocument | undefined)[]> {
    return this.documents(accountCollections.projects, ids);
  }

  async projectsNamed(names: readonly string[]): Promise<readonly (ProjectReference | undefined)[]> {
    return this.documents(accountCollections.projectsByName, names.map(keyPart));
  }

  async users(ids: readonly string[]): Promise<readonly (UserDocument | undefined)[]> {
    return this.documents(accountCollections.users, ids);
  }

  async usersNamed(names: readonly string[]): Promise<readonly (UserDocument | undefined)[]> {
    const references = await this.documents<UserReference>(accountCollections.usersByName, names.map(keyPart));
    const known = references.flatMap((reference) => reference?.userId ?? []);
    const byId = new Map((await this.users(known)).map((user) => [user?.userId, user]));
    return references.map((reference) => reference && byId.get(reference.userId));
  }

  /** The newest first; with `projectId`, only members of that project. */
  async listUsers(page: Page, projectId?: string): Promise<ListPart<UserDocument>> {
    const { usersInOrder, members } = accountCollections;
    const from = projectId === undefined ? { collection: usersInOrder, prefix: '' } : { collection: members, prefix: `${projectId}/` };
    const part = await readPage(this.view, from, page);
    const users = await this.users(part.items.map(({ value }) => parse<UserReference>(value).userId));
    return { ...part, items: users.filter((user) => user !== undefined) };
  }

  async registration(id: string): Promise<RegistrationDocument | undefined> {
    return this.document(accountCollections.registrations, keyPart(id));
  }

  /** In the order of their submission. */
  async registrations(): Promise<readonly RegistrationDocument[]> {
    return this.inOrder(accountCollections.registrations);
  }

  /** In the order of their creation. */
  async allProjects(): Promise<readonly ProjectDocument[]> {
    return this.inOrder(accountCollections.projects);
  }

  /** The ids of the members of a project with these names: for an ACL. */
  async membersNamed(projectId: string, names: readonly string[]): Promise<readonly (string | undefined)[]> {
    const users = await this.usersNamed(names);
    return users.map((user) => (user && isMember(user, projectId) ? user.userId : undefined));
  }

  /** The names of users by their ids, without those who are gone: for an ACL, and for who created what. */
  async namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const users = await this.users([...new Set(ids)]);
    return new Map(users.flatMap((user): [string, string][] => (user ? [[user.userId, user.name]] : [])));
  }

  private async inOrder<Document extends Readonly<{ order: string }>>(collection: string): Promise<readonly Document[]> {
    const documents: Document[] = [];
    for await (const part of rangeInParts(this.view, collection, {})) for (const { value } of part) documents.push(parse<Document>(value));
    return documents.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  private async document<Document>(collection: string, key: string): Promise<Document | undefined> {
    const bytes = await this.view.get(collection, key);
    return bytes ? parse<Document>(bytes) : undefined;
  }

  private async documents<Document>(collection: string, keys: readonly string[]): Promise<readonly (Document | undefined)[]> {
    if (keys.length === 0) return [];
    return (await this.view.getMany(collection, keys)).map((bytes) => (bytes ? parse<Document>(bytes) : undefined));
  }
}

export const isMember = ({ memberships }: UserDocument, projectId: string): boolean =>
  memberships.some((membership) => membership.projectId === projectId);
