import type { StoreUsage } from '#projections/shared/read-store.js';
import type { RedisConnection } from './connection.js';

/** Answer of a server to INFO. */
export type ServerInfo = ReadonlyMap<string, string>;

/** Of every server that accepts writes. @throws ReadStoreUnavailable */
export const infosOf = async (connection: Pick<RedisConnection, 'commandEach'>): Promise<readonly ServerInfo[]> =>
  (await connection.commandEach<unknown>(['INFO'])).map((info) => new Map(fieldsOf(String(info))));

const fieldsOf = (info: string): readonly (readonly [string, string])[] =>
  info.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
  });

const numberIn = (info: ServerInfo, field: string): number => Number(info.get(field) ?? 0);

/** The setting with which a server drops documents; `null` if it keeps them. The other policies evict only keys that expire, which documents do not. */
export const dropsDocuments = (info: ServerInfo): string | null => {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  return policy.startsWith('allkeys') ? `maxmemory-policy of Redis is ${policy}` : null;
};

/** Why the server refuses writes. Buffers of replicas and of the append-only file do not count against the limit. */
const refusalOf = (info: ServerInfo): string | null => {
  const limit = numberIn(info, 'maxmemory');
  const isFull = limit > 0 && numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict') > limit;
  if (isFull && info.get('maxmemory_policy') === 'noeviction') return 'its memory is full';
  return info.get('aof_enabled') === '1' && info.get('aof_last_write_status') === 'err' ? 'it cannot write its append-only file' : null;
};

const refusedBy = (info: ServerInfo): number => Number(/^count=(\d+)/.exec(info.get('errorstat_OOM') ?? '')?.[1] ?? 0);

const firstIn = (texts: readonly (string | null)[]): string | null => texts.find((text) => text !== null) ?? null;

export const usageIn = (infos: readonly ServerInfo[]): StoreUsage | null => {
  const shares = infos.map((info) => ({ bytes: numberIn(info, 'used_memory'), limit: numberIn(info, 'maxmemory') }));
  const share = ({ bytes, limit }: Readonly<{ bytes: number; limit: number }>): number => (limit > 0 ? bytes / limit : 0);
  const [fullest] = shares.sort((one, other) => share(other) - share(one) || other.bytes - one.bytes);
  if (!fullest) return null;
  return {
    bytes: fullest.bytes,
    limit: fullest.limit > 0 ? fullest.limit : null,
    evicted: infos.reduce((sum, info) => sum + numberIn(info, 'evicted_keys'), 0),
    refused: infos.reduce((sum, info) => sum + refusedBy(info), 0),
    refusal: firstIn(infos.map(refusalOf)),
    drops: firstIn(infos.map(dropsDocuments)),
  };
};
