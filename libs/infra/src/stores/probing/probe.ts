import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { EventStoreClient } from '#infra/platform/config/event-store-clients.js';
import { parseConnectionString } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import { parseRedisUrl } from '#infra/stores/read-store/redis/connection/redis-url.js';
import { type AwayStore, STORE_NAMES, StoreRefusal, type StoreVariable } from '#infra/stores/store-access/store-trouble.js';
import { isTlsCode, type StoreServers, tlsMistake } from '#infra/stores/store-access/tls-mistake.js';
import { ReadStoreUnavailable } from '#projections/shared/read-store.js';

/** Time limit per answer in milliseconds. */
const ATTEMPT_MS = 2_000;
const DEFAULT_REDIS_PORT = 6_379;

type Link = Readonly<{ message: string; code?: unknown }>;

/** An error and its causes, outermost first. */
const chainOf = (error: unknown): readonly Link[] => {
  if (typeof error !== 'object' || error === null || !('message' in error)) return [];
  const link = { message: String(error.message), ...('code' in error && { code: error.code }) };
  return [link, ...('cause' in error ? chainOf(error.cause) : [])];
};

/** Errors about several addresses have a code but no text. */
const innermost = (error: unknown): string => {
  const last = chainOf(error).at(-1);
  return last?.message || String(last?.code ?? 'unknown');
};

/** gRPC: permission denied, unauthenticated. */
const CREDENTIAL_STATUS: readonly unknown[] = [7, 16];
/** Code at the start of Redis' error answers. */
const CREDENTIAL_ANSWER = /^(WRONGPASS|NOAUTH|NOPERM)\b/;

const refusalOf = async (error: unknown, servers: StoreServers, timeLimitMs: number): Promise<string | null> => {
  const chain = chainOf(error);
  const denied = chain.find(({ message, code }) => CREDENTIAL_ANSWER.test(message) || CREDENTIAL_STATUS.includes(code));
  if (denied) return `user or password are wrong, or lack rights: ${denied.message}`;
  const broken = chain.find(({ code }) => isTlsCode(code));
  const mistake = await tlsMistake(servers, timeLimitMs);
  return mistake ?? (broken ? `TLS fails: ${broken.message}` : null);
};

/**
 * Makes one attempt to use a store. Returns why it is unreachable; `null` if it answered, or failed for another reason, which the start
 * itself reports.
 * @throws StoreRefusal
 */
const probe = async (
  variable: StoreVariable,
  servers: StoreServers,
  timeLimitMs: number,
  attempt: () => Promise<unknown>,
): Promise<AwayStore | null> => {
  try {
    await attempt();
    return null;
  } catch (error) {
    const refusal = await refusalOf(error, servers, timeLimitMs);
    if (refusal !== null) throw new StoreRefusal(variable, refusal);
    if (!(error instanceof EventStoreUnavailable) && !(error instanceof ReadStoreUnavailable)) return null;
    return { variable, reason: `${STORE_NAMES[variable]} does not answer: ${innermost(error)}` };
  }
};

/** Those that the connection string names. @throws MalformedConnectionString */
export const eventStoreServers = (connectionString: string): StoreServers => {
  const { hosts, session } = parseConnectionString(connectionString);
  return { hosts, tls: session.secure !== undefined, ca: session.secure?.ca };
};

/** Those that the URL names: the server, the Sentinels, or some nodes of a Cluster. @throws MalformedRedisUrl */
export const redisServers = (url: string): StoreServers => {
  const place = parseRedisUrl(url);
  const urls = place.kind === 'server' ? [place.url] : place.kind === 'sentinel' ? place.sentinels : place.seeds;
  const hosts = urls.map((named) => {
    const { hostname, port } = new URL(named);
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || DEFAULT_REDIS_PORT) };
  });
  return { hosts, tls: url.startsWith('rediss') };
};

const probeEventStore = async (
  connectionString: string,
  client: EventStoreClient | undefined,
  timeLimitMs: number,
): Promise<AwayStore | null> =>
  probe('EVENTSTORE_URL', eventStoreServers(connectionString), timeLimitMs, async () => {
    const { openEventStoreDb } = await import('#infra/stores/event-store/eventstoredb/event-store.js');
    const store = openEventStoreDb({ connectionString, ...(client && { client }), limits: { retryMs: 0, silenceMs: timeLimitMs } });
    try {
      await store.end();
    } finally {
      await store.close();
    }
  });

const probeReadStore = async (url: string, keyPrefix: string, timeLimitMs: number): Promise<AwayStore | null> =>
  probe('REDIS_URL', redisServers(url), timeLimitMs, async () => {
    const { openRedisReadStore } = await import('#infra/stores/read-store/redis/redis-read-store.js');
    const store = await openRedisReadStore({ url, keyPrefix, timeLimitMs });
    try {
      await store.trouble();
    } finally {
      await store.close();
    }
  });

type ProbedStores = Readonly<{ eventStoreUrl?: string; eventStoreClient?: EventStoreClient; redisUrl?: string; redisPrefix: string }>;

/**
 * Asks each networked store whether it is reachable; embedded stores always are.
 * @param timeLimitMs for each answer. Default 2,000
 * @throws StoreRefusal, MalformedConnectionString, MalformedRedisUrl
 */
export const probeStores = async (
  { eventStoreUrl, eventStoreClient, redisUrl, redisPrefix }: ProbedStores,
  timeLimitMs = ATTEMPT_MS,
): Promise<readonly AwayStore[]> => {
  const found = await Promise.all([
    eventStoreUrl === undefined ? null : probeEventStore(eventStoreUrl, eventStoreClient, timeLimitMs),
    redisUrl === undefined ? null : probeReadStore(redisUrl, redisPrefix, timeLimitMs),
  ]);
  return found.filter((one) => one !== null);
};
