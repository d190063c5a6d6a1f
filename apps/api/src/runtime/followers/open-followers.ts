import type { ForeignStreams } from '#api/runtime/foreign-streams.js';
import { projections } from '#api/runtime/vocabulary.js';
import { EXPIRING } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { type Followers, LocalFollowers, ThreadFollowers } from '#infra/engine/followers/followers.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import { HISTORY_FOLLOWER, historyPath } from '#infra/engine/history/history-follower.js';
import { RecordedHistory } from '#infra/engine/history/recorded-history.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import type { ForeignEvent } from '#infra/stores/event-store/eventstoredb/messages/foreign-events.js';
import type { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { answerAppends, FOREIGN } from './thread-context.js';
import { followersOf } from './which-followers.js';

export type FollowersDependencies = Readonly<{
  configuration: Configuration;
  logger: Logger;
  /** Told of what is passed over in the log. */
  foreign: ForeignStreams;
  eventStore: EventStore;
  masterKey: Buffer;
  keys: SubjectKeys;
  codec: EventCodec;
  sealing: SealedDocuments;
}>;

/** What follows the log beside the write path, and what is read from it. */
export type FollowingParts = Readonly<{
  /** Not started. */
  followers: Followers;
  /** Absent: this node keeps none of the past. */
  history?: RecordedHistory;
  close(): Promise<void>;
}>;

const chainsHere = ({ chain, roles }: Configuration): boolean => chain && roles.includes('history');

/** Whether this node follows the log beside the write path, and so keeps an audit index. */
export const followsLog = (configuration: Configuration): boolean => configuration.history || chainsHere(configuration);

const isSource = import.meta.url.endsWith('.ts');

/** Tests run from the sources, which a thread cannot load: there they run in this one. */
const newFollowers = ({ configuration, logger, eventStore, masterKey, keys, codec }: FollowersDependencies): Followers => {
  const { dataDirectory, eventStoreUrl, eventStoreClient, logLevel, history } = configuration;
  const chain = chainsHere(configuration);
  const settings: FollowerSettings = { dataDirectory, eventStoreUrl, eventStoreClient, masterKey, logLevel, chain, history };
  if (!isSource) return new ThreadFollowers({ settings, log: logger, entry: new URL('./followers-worker.js', import.meta.url) });
  return new LocalFollowers(followersOf(settings), {
    settings,
    events: new SharedLog(eventStore),
    keys,
    codec,
    decode: (recorded) => codec.decodeAll(recorded),
    projections,
    expiring: EXPIRING,
    log: logger,
    now: Date.now,
  });
};

/** Opens what follows the log on this node. Undefined: nothing does. */
export const openFollowers = (dependencies: FollowersDependencies): FollowingParts | undefined => {
  const { configuration, eventStore, foreign } = dependencies;
  if (!followsLog(configuration)) return undefined;
  const followers = newFollowers(dependencies);
  answerAppends(followers, eventStore);
  followers.answer(FOREIGN, (events) => (events as readonly ForeignEvent[]).forEach(foreign.note));
  const history = configuration.history ? openHistory(dependencies, followers) : undefined;
  return {
    followers,
    ...(history && { history }),
    close: async () => {
      await followers.stop();
      await history?.close();
    },
  };
};

const openHistory = ({ configuration, sealing }: FollowersDependencies, followers: Followers): RecordedHistory =>
  new RecordedHistory({
    path: historyPath(configuration.dataDirectory),
    projections,
    sealed: sealing,
    mayOpen: () => !followers.isStarted || followers.state(HISTORY_FOLLOWER) !== null,
    recording: () => followers.state(HISTORY_FOLLOWER),
  });
