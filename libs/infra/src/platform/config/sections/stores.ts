import { IsOptional, IsString, Matches } from 'class-validator';
import { OneOf, OptionalText, secondsOf } from '#infra/platform/config/checks.js';
import { EVENT_STORE_CLIENTS, type EventStoreClient } from '#infra/platform/config/event-store-clients.js';

/** Locations of events and read models. */
export class StoreVariables {
  @IsString()
  LOGBOOK_DATA_DIR = './data';

  @IsOptional()
  @Matches(/^(esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/.+/, { message: 'must be an esdb:// or kurrentdb:// connection string' })
  EVENTSTORE_URL?: string;

  /** Client of EventStoreDB: Logbook's own, or the vendor's. */
  @OneOf(EVENT_STORE_CLIENTS, `must be one of ${EVENT_STORE_CLIENTS.join(', ')}`)
  LOGBOOK_EVENTSTORE_CLIENT: EventStoreClient = 'native';

  @IsOptional()
  @Matches(/^rediss?(\+(sentinel|cluster))?:\/\/.+/, {
    message: 'must be a redis://, redis+sentinel:// or redis+cluster:// URL (rediss for TLS)',
  })
  REDIS_URL?: string;

  /** Prefix of every key and channel in Redis, so that several installations can share a server. */
  @Matches(/^[\w.-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores' })
  LOGBOOK_REDIS_PREFIX = 'logbook';

  /** How long a start waits for a store that does not answer. */
  @Matches(/^\d{1,6}[smhd]$/, { message: 'must be a number of seconds, minutes, hours or days, such as 60s' })
  LOGBOOK_START_TIMEOUT = '60s';

  /** Directory in which operators may have backups made over HTTP. */
  @OptionalText()
  LOGBOOK_BACKUP_DIR?: string;
}

export const storeSettings = (given: StoreVariables) => ({
  dataDirectory: given.LOGBOOK_DATA_DIR,
  eventStoreUrl: given.EVENTSTORE_URL,
  eventStoreClient: given.LOGBOOK_EVENTSTORE_CLIENT,
  redisUrl: given.REDIS_URL,
  redisPrefix: given.LOGBOOK_REDIS_PREFIX,
  /** `0`: the start does not wait. */
  startTimeoutSeconds: secondsOf(given.LOGBOOK_START_TIMEOUT),
  backupDirectory: given.LOGBOOK_BACKUP_DIR,
});
