import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CachedQuery } from '#api/shared/answers/cached-query.js';
import type { Clock } from '#domain/shared/clock.js';
import { atomically } from '#infra/platform/coordination/own-namespace.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { Change, ReadStore } from '#projections/shared/read-store.js';

/** The cookie is valid only with this header, which a page of another site cannot send. */
const HEADER = 'x-logbook-console';
export const COOKIE = 'logbook-console';
/** Path of sign-in and sign-out. */
export const SESSION_PATH = '/console/session';

/** Own namespace of the read store. */
const NAME = 'ops.console-sessions';
const COLLECTION = 'sessions';
const LONGEST_MS = 12 * 3_600_000;
/** Maximum number of sessions of a key; a new one ends the oldest. */
const MOST_OF_KEY = 50;
const TOKEN = /^[\w-]{43}$/;

/** A stored session, under the hash of its token. `keyHash`: that of the key, for lookups. `endsAt`: milliseconds since 1970-01-01 UTC. */
export type ConsoleSession = Readonly<{ keyId: string; keyHash: string; endsAt: number }>;

const tokenIn = ({ cookie = '' }: IncomingHttpHeaders): string | undefined => {
  for (const pair of cookie.split(';')) {
    const [name = '', value = ''] = pair.split('=', 2);
    if (name.trim() === COOKIE && TOKEN.test(value.trim())) return value.trim();
  }
  return undefined;
};

const parse = (text: Buffer): ConsoleSession => JSON.parse(text.toString('utf8')) as ConsoleSession;

/**
 * Sessions of the console: a random token stands for a key that was presented once. They are in the read store, so that they are valid on
 * every node and after a restart. A sign-out ends them. Every request checks whether the key is valid, so a session ends with its key.
 * After a loss of the read store users have to sign in again.
 */
export class ConsoleSessions {
  private readonly known: CachedQuery<ConsoleSession>;

  constructor(
    private readonly store: ReadStore,
    private readonly clock: Clock,
  ) {
    this.known = new CachedQuery(store, [NAME], async (id) => {
      const text = await store.view(NAME).get(COLLECTION, id);
      return text ? parse(text) : undefined;
    });
  }

  /** The session of a request, if it is valid. @throws ReadStoreUnavailable */
  async of(headers: IncomingHttpHeaders): Promise<ConsoleSession | undefined> {
    const token = headers[HEADER] === '1' ? tokenIn(headers) : undefined;
    if (token === undefined) return undefined;
    const session = await this.known.find(idOf(token));
    return session && session.endsAt > this.clock() ? session : undefined;
  }

  /** @returns the token for the cookie @throws ReadStoreUnavailable */
  async begin({ keyId, keyHash }: AccessKeyDocument): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const now = this.clock();
    const session: ConsoleSession = { keyId, keyHash, endsAt: now + LONGEST_MS };
    await atomically(this.store, NAME, async (namespace, changes) => {
      const stored = (await this.store.documents(namespace).range(COLLECTION, {})).map(({ key, value }) => ({ key, ...parse(value) }));
      const others = stored.filter((other) => other.keyId === keyId).sort((one, other) => other.endsAt - one.endsAt);
      const tooMany = new Set(others.slice(MOST_OF_KEY - 1));
      const ended = stored.filter((other) => other.endsAt <= now || tooMany.has(other));
      await this.store.commit(namespace, [...ended.map(({ key }) => remove(key)), put(idOf(token), session)], changes, changes + 1n);
    });
    return token;
  }

  /** Ends the session of a request, if there is one. @throws ReadStoreUnavailable */
  async end(headers: IncomingHttpHeaders): Promise<void> {
    const token = tokenIn(headers);
    if (token === undefined || !(await this.of(headers))) return;
    await atomically(this.store, NAME, (namespace, changes) => this.store.commit(namespace, [remove(idOf(token))], changes, changes + 1n));
  }

  close(): void {
    this.known.close();
  }
}

/** A hash, so that the content of the store cannot be used as a token. */
const idOf = (token: string): string => hash('sha256', token, 'hex');

/** Distinguishes the session of a request from others of the same key; `undefined` if the request has none. */
export const sessionIdOf = (headers: IncomingHttpHeaders): string | undefined => {
  const token = headers['x-api-key'] === undefined && headers[HEADER] === '1' ? tokenIn(headers) : undefined;
  return token === undefined ? undefined : idOf(token);
};

const put = (key: string, session: ConsoleSession): Change => ({
  kind: 'put',
  collection: COLLECTION,
  key,
  value: JSON.stringify(session),
});
const remove = (key: string): Change => ({ kind: 'delete', collection: COLLECTION, key });

/** The hash of a request's key, from `x-api-key` or else from its session. @param sessions `null` if this server has no console */
export const keyHashOf = async (
  headers: IncomingHttpHeaders,
  hashes: CredentialHashes,
  sessions: ConsoleSessions | null,
): Promise<string | undefined> => {
  const apiKey = headers['x-api-key'];
  if (typeof apiKey === 'string' && apiKey !== '') return hashes.of(apiKey);
  return (await sessions?.of(headers))?.keyHash;
};
