import { StoreRefusal } from '#infra/stores/store-access/store-trouble.js';
import type { RedisConnection } from './connection.js';
import { dropsDocuments, infosOf, type ServerInfo } from './redis-info.js';

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
  const infos = await infosOf(connection).catch(() => null);
  if (infos === null) {
    report('the settings of Redis could not be read (INFO): maxmemory-policy must be noeviction, see docs/running/nodes.md');
    return;
  }
  const warnings = infos.flatMap(warningsOf);
  for (const warning of new Set(warnings)) report(warning);
};

/** @throws UnsuitableRedis */
const warningsOf = (info: ServerInfo): readonly string[] => {
  const version = info.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2)) throw new UnsuitableRedis(`Redis ${version} is too old: 6.2 or newer is needed`);
  const drops = dropsDocuments(info);
  if (drops !== null) throw new UnsuitableRedis(`${drops}: it would silently lose documents; set it to noeviction`);
  return info.get('aof_enabled') === '0'
    ? ['Redis keeps no append-only file: after a restart of Redis, read models are rebuilt from the log, see docs/running/nodes.md']
    : [];
};
