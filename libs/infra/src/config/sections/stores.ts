import { IsOptional, IsString, Matches } from 'class-validator';

/** Where events and read models are. */
export class StoreVariables {
  @IsString()
  LOGBOOK_DATA_DIR = './data';

  @IsOptional()
  @Matches(/^(esdb|kurrentdb)(\+discover)?:\/\/.+/, { message: 'must be an esdb:// or kurrentdb:// connection string' })
  EVENTSTORE_URL?: string;

  @IsOptional()
  @Matches(/^rediss?(\+(sentinel|cluster))?:\/\/.+/, {
    message: 'must be a redis://, redis+sentinel:// or redis+cluster:// URL (rediss for TLS)',
  })
  REDIS_URL?: string;

  /** Prefix of every key and channel in Redis, so that several installations can share a server. */
  @Matches(/^[\w.-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
  LOGBOOK_REDIS_PREFIX = 'logbook';

  /** Directory in which operators may have backups made over HTTP. */
  @IsOptional()
  @IsString()
  LOGBOOK_BACKUP_DIR?: string;
}

export type StoreSettings = Readonly<{
  dataDirectory: string;
  eventStoreUrl?: string;
  redisUrl?: string;
  redisPrefix: string;
  backupDirectory?: string;
}>;

export const storeSettings = (given: StoreVariables): StoreSettings => ({
  dataDirectory: given.LOGBOOK_DATA_DIR,
  eventStoreUrl: given.EVENTSTORE_URL,
  redisUrl: given.REDIS_URL,
  redisPrefix: given.LOGBOOK_REDIS_PREFIX,
  backupDirectory: given.LOGBOOK_BACKUP_DIR,
});
