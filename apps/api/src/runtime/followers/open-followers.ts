import type { ForeignStreams } from '#api/runtime/foreign-streams.js';
import { projections } from '#api/runtime/vocabulary.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { type Followers, LocalFollowers, ThreadFollowers } from '#infra/engine/followers/followers.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ForeignEvent } from '#infra/stores/event-store/eventstoredb/messages/foreign-events.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { answerAppends, FOREIGN } from './thread-context.js';
import { followersOf } from './which-followers.js';

type FollowersDependencies = Readonly<{
  configuration: Configuration;
  logger: Logger;
  /** Notified of skipped events in the log. */
  foreign: ForeignStreams;
  eventStore: EventStore;
  masterKey: Buffer;
  keys: SubjectKeys;
}>;

const chainsHere = ({ chain, roles }: Configuration): boolean => chain && roles.includes('history');

/** Returns whether this node follows the log in addition to the write path, and so has an audit index. */
export const followsLog = (configuration: Configuration): boolean => configuration.history || chainsHere(configuration);

const isSource = import.meta.url.endsWith('.ts');

/** Tests run from the sources, which a thread cannot load. Then followers run in this thread. */
const newFollowers = ({ configuration, logger, eventStore, masterKey, keys }: FollowersDependencies): Followers => {
  const { dataDirectory, eventStoreUrl, eventStoreClient, logLevel } = configuration;
  const chain = chainsHere(configuration);
  const settings: FollowerSettings = { dataDirectory, eventStoreUrl, eventStoreClient, masterKey, logLevel, chain };
  if (!isSource) return new ThreadFollowers({ settings, log: logger, entry: new URL('./followers-worker.js', import.meta.url) });
  const events = new SharedLog(eventStore);
  return new LocalFollowers(followersOf(settings), { settings, events, keys, projections, log: logger, now: Date.now });
};

/** Followers of this node in addition to its write path, not started; `undefined` if there are none. */
export const openFollowers = (dependencies: FollowersDependencies): Followers | undefined => {
  const { configuration, eventStore, foreign } = dependencies;
  if (!followsLog(configuration)) return undefined;
  const followers = newFollowers(dependencies);
  answerAppends(followers, eventStore);
  followers.answer(FOREIGN, (events) => (events as readonly ForeignEvent[]).forEach(foreign.note));
  return followers;
};
