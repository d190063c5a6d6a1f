import { join } from 'node:path';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { eventStoreServers, redisServers } from '#infra/stores/probing/probe.js';
import type { StoreServers } from '#infra/stores/store-access/tls-mistake.js';
import { remark } from './terminal.js';

/** An address that cannot be read is not shown: a part of it may be a password. Whoever opens the store reports it. */
const hostsOf = (servers: () => StoreServers): string => {
  try {
    return servers()
      .hosts.map(({ host, port }) => `${host}:${port}`)
      .join(', ');
  } catch {
    return 'an address that cannot be read';
  }
};

type StoreSettings = Pick<Configuration, 'dataDirectory' | 'eventStoreUrl' | 'redisUrl' | 'redisPrefix'>;

const logOf = ({ dataDirectory, eventStoreUrl }: StoreSettings): string =>
  eventStoreUrl
    ? `log on EventStoreDB at ${hostsOf(() => eventStoreServers(eventStoreUrl))} (EVENTSTORE_URL)`
    : `log in ${join(dataDirectory, 'log')}`;

const documentsOf = ({ dataDirectory, redisUrl, redisPrefix }: StoreSettings): string =>
  redisUrl
    ? `documents on Redis at ${hostsOf(() => redisServers(redisUrl))}, prefix ${redisPrefix} (REDIS_URL)`
    : `documents in ${join(dataDirectory, 'documents')}`;

/**
 * Says on standard error which stores a command is about to open, if one of them is outside of the data directory: settings of another installation may be in
 * the environment. To be called wherever this process opens configured stores. Neither credentials nor other parts of addresses are said.
 * @param which `log`: it opens nothing else
 */
export const announceStores = (configuration: StoreSettings, which: 'log' | 'log and documents'): void => {
  const { eventStoreUrl, redisUrl } = configuration;
  const documents = which === 'log' ? [] : [documentsOf(configuration)];
  if (eventStoreUrl || (redisUrl && documents.length > 0)) remark(`stores: ${[logOf(configuration), ...documents].join(', ')}`);
};
