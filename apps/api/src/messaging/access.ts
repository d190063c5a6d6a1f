import { Inject, Injectable } from '@nestjs/common';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { LIVE_READ_STORE, READ_STORE } from '#api/shared/tokens.js';
import { type Membership, userSubject } from '#domain/messaging/accounts/account-events.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { ACCOUNTS, AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ACCESS_KEYS, AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Holder of a key: a user, or an administrator with the service token or another key (messaging contract 1.2). `actorId`: for the log. */
export type KeyHolder =
  | Readonly<{
      kind: 'user';
      actorId: string;
      userId: string;
      name: string;
      serviceRoles: readonly string[];
      memberships: readonly Membership[];
    }>
  | Readonly<{ kind: 'service'; actorId: string; userId: null; name: null; serviceRoles: readonly string[]; memberships: readonly [] }>;

/**
 * Looks up the caller and the project of the path. Nearly every request needs both, so they are kept in memory until the accounts change.
 * The caller is always the current one, also if the project is read as of an earlier time.
 */
@Injectable()
export class MessagingAccess {
  private readonly users: AccountQueries;
  private readonly administrators: AccessKeyQueries;
  private readonly holders: CachedQuery<KeyHolder>;
  private readonly projects: CachedQuery<ProjectReference>;
  private readonly names: CachedQuery<ProjectReference>;

  constructor(
    @Inject(LIVE_READ_STORE) live: ReadStore,
    @Inject(READ_STORE) private readonly store: ReadStore,
    private readonly completeness: Completeness,
    private readonly credentialHashes: CredentialHashes,
    private readonly erased: ErasedSubjects,
  ) {
    this.users = new AccountQueries(live);
    this.administrators = new AccessKeyQueries(live);
    const accounts = new AccountQueries(store);
    // One query, so that administrators, who are not in the accounts, are kept in memory as well.
    this.holders = new CachedQuery(live, [ACCOUNTS, ACCESS_KEYS], async (hash) => (await this.user(hash)) ?? this.administrator(hash));
    this.projects = new CachedQuery(store, [ACCOUNTS], (name) => accounts.projectNamed(name));
    this.names = new CachedQuery<ProjectReference>(store, [ACCOUNTS], async (id) => (await accounts.projects([id]))[0]);
  }

  /** `undefined` if nobody holds the key. Synchronous if it was looked up lately. @throws ReadModelsUnavailable the holder is not known */
  authenticate(key: string): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const hash = this.credentialHashes.of(key);
    return foundOrAbsent(this.completeness, [ACCOUNTS, ACCESS_KEYS], () => this.holders.find(hash));
  }

  /** Without memberships of projects that are gone, which reads of the past still find: callers have their rights of now. */
  async withRightsOfNow(holder: KeyHolder): Promise<KeyHolder> {
    if (holder.kind === 'service') return holder;
    const { memberships } = holder;
    const projects = await this.users.projects(memberships.map(({ projectId }) => projectId));
    return { ...holder, memberships: memberships.filter((_membership, at) => projects[at] !== undefined) };
  }

  /** Project of this name. @throws ReadModelsUnavailable it is not known yet whether it exists */
  async project(name: string): Promise<ProjectReference | undefined> {
    if (this.store.volatile) return this.projects.find(name);
    return foundOrAbsent(this.completeness, [ACCOUNTS], () => this.projects.find(name));
  }

  /** Resolves when callers and projects are those of now. @throws ReadModelsUnavailable and other outages: that is not known */
  level(): Promise<void> {
    return this.completeness.require(ACCOUNTS, ACCESS_KEYS);
  }

  /** The project under its current name: that of the path may be an earlier one after a wait. */
  async renamed(project: ProjectReference): Promise<ProjectReference> {
    return (await this.names.find(project.projectId)) ?? project;
  }

  /** Returns whether a project or user has this name although path variables may not: it came from a body (messaging contract 0.5). */
  async isNamed(variable: string, name: string): Promise<boolean> {
    if (variable === 'project') return (await this.project(name)) !== undefined;
    return variable === 'user' && (await this.users.userNamed(name)) !== undefined;
  }

  onApplicationShutdown(): void {
    this.holders.close();
    this.projects.close();
    this.names.close();
  }

  private async user(hash: string): Promise<KeyHolder | undefined> {
    const user = await this.users.tokenHolder(hash);
    if (!user || (await this.erased.some(userSubject(user.userId)))) return undefined;
    return { kind: 'user', actorId: user.userId, ...user };
  }

  private async administrator(hash: string): Promise<KeyHolder | undefined> {
    const key = await this.administrators.byHash(hash);
    if (key?.service !== 'messaging') return undefined;
    return { kind: 'service', actorId: key.keyId, userId: null, name: null, serviceRoles: key.roles, memberships: [] };
  }
}
