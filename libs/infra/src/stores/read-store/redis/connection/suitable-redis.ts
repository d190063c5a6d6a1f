import { StoreRefusal } from '#infra/stores/store-access/store-trouble.js';
import type { RedisConnection } from './connection.js';

/** Settings of Redis would make read models wrong. The message says what to set. */
export class UnsuitableRedis extends StoreRefusal {
  override readonly name: string = 'UnsuitableRedis';
  constructor(reason: string) {
    super('REDIS_URL', reason);
  }
}

/**
 * Checks the version and the settings of every server that accepts writes.
 * @param report called with one line per setting that only costs time
 * @throws UnsuitableRedis
 */
export const assertSuitable = async (connection: RedisConnection, report: (message: string) => void): Promise<void> => {
  let infos: readonly unknown[];
  try {
    infos = await connection.commandEach<unknown>(['INFO']);
  } catch {
    report('the settings of Redis could not be read (INFO): maxmemory-policy must be noeviction, see docs/operations.md');
    return;
  }
  const warnings = infos.flatMap((info) => warningsOf(new Map(fieldsOf(String(info)))));
  for (const warning of new Set(warnings)) report(warning);
};

const fieldsOf = (info: string): readonly (readonly [string, string])[] =>
  info.split(/\r?\n/).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
  });

/** @throws UnsuitableRedis */
const warningsOf = (info: ReadonlyMap<string, string>): readonly string[] => {
  const version = info.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2)) throw new UnsuitableRedis(`Redis ${version} is too old: 6.2 or newer is needed`);
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  // The other policies evict only keys that expire, which documents do not.
  if (policy.startsWith('allkeys'))
    throw new UnsuitableRedis(`maxmemory-policy of Redis is ${policy}: it would silently lose documents; set it to noeviction`);
  return info.get('aof_enabled') === '0'
    ? ['Redis keeps no append-only file: after a restart of Redis, read models are rebuilt from the log, see docs/operations.md']
    : [];
};
