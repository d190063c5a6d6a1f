import type { ForeignStreams } from '#api/runtime/foreign-streams.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { Followers } from '#infra/engine/followers/followers.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ForeignEvent } from '#infra/stores/event-store/eventstoredb/messages/foreign-events.js';
import { answerAppends, FOREIGN } from './thread-context.js';

type FollowersDependencies = Readonly<{
  configuration: Configuration;
  logger: Logger;
  /** Notified of skipped events in the log. */
  foreign: ForeignStreams;
  eventStore: EventStore;
  masterKey: Buffer;
}>;

const chainsHere = ({ chain, roles }: Configuration): boolean => chain && roles.includes('history');

/** Returns whether this node follows the log in addition to the write path, and so has an audit index. */
export const followsLog = (configuration: Configuration): boolean => configuration.history || chainsHere(configuration);

/** Followers of this node in addition to its write path, not started; `undefined` if there are none. */
export const openFollowers = ({ configuration, logger, foreign, eventStore, masterKey }: FollowersDependencies): Followers | undefined => {
  if (!followsLog(configuration)) return undefined;
  const { dataDirectory, eventStoreUrl, eventStoreClient, logLevel } = configuration;
  const chain = chainsHere(configuration);
  const settings: FollowerSettings = { dataDirectory, eventStoreUrl, eventStoreClient, masterKey, logLevel, chain };
  const followers = new Followers({ settings, log: logger, entry: new URL('./followers-worker.js', import.meta.url) });
  answerAppends(followers, eventStore);
  followers.answer(FOREIGN, (events) => (events as readonly ForeignEvent[]).forEach(foreign.note));
  return followers;
};
