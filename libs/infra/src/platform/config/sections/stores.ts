import { EVENT_STORE_CLIENTS } from '#infra/platform/config/event-store-clients.js';
import { duration, matching, oneOf, secondsOf, text, variable } from '#infra/platform/config/variables.js';

/** Locations of events and read models. */
export const storeSettings = {
  dataDirectory: variable('LOGBOOK_DATA_DIR', text, './data'),
  eventStoreUrl: variable(
    'EVENTSTORE_URL',
    matching(/^(esdb|kurrentdb|kurrent|kdb)(\+discover)?:\/\/.+/, 'must be an esdb:// or kurrentdb:// connection string'),
  ),
  /** Client of EventStoreDB: Logbook's own, or the vendor's. */
  eventStoreClient: variable(
    'LOGBOOK_EVENTSTORE_CLIENT',
    oneOf(EVENT_STORE_CLIENTS, `must be one of ${EVENT_STORE_CLIENTS.join(', ')}`),
    'native',
  ),
  redisUrl: variable(
    'REDIS_URL',
    matching(/^rediss?(\+(sentinel|cluster))?:\/\/.+/, 'must be a redis://, redis+sentinel:// or redis+cluster:// URL (rediss for TLS)'),
  ),
  /** Prefix of every key and channel in Redis, so that several installations can share a server. */
  redisPrefix: variable(
    'LOGBOOK_REDIS_PREFIX',
    matching(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores'),
    'logbook',
  ),
  /** How long a start waits for a store that does not answer. `0`: it does not. */
  startTimeoutSeconds: variable(
    'LOGBOOK_START_TIMEOUT',
    duration(/^\d{1,6}[smhd]$/, 'must be a number of seconds, minutes, hours or days, such as 60s'),
    secondsOf('60s'),
  ),
  /** Directory in which operators may have backups made over HTTP. */
  backupDirectory: variable('LOGBOOK_BACKUP_DIR', text),
};
