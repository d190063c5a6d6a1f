import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gathering, openEventStoreDbLog } from '#api/runtime/foreign-streams.js';
import { projections } from '#api/runtime/vocabulary.js';
import type { AppendResult, EventStore, ExpectedRevision } from '#domain/shared/event-store.js';
import type { NewEvent } from '#domain/shared/events.js';
import type { FollowerContext, FollowerSettings } from '#infra/engine/followers/follower.js';
import type { OpenContext, ThreadLink } from '#infra/engine/followers/follower-thread.js';
import type { Followers } from '#infra/engine/followers/followers.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import { logConsole } from '#infra/platform/logging/log-console.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { isOutage } from '#infra/platform/program/outage.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';

/** Request to the main thread to append. */
const APPEND = 'append';
type AppendRequest = Readonly<{ stream: string; events: readonly NewEvent[]; expected: ExpectedRevision }>;

/** Appends events in the main thread on request of followers in another one. */
export const answerAppends = (followers: Pick<Followers, 'answer'>, eventStore: Pick<EventStore, 'append'>): void =>
  followers.answer(APPEND, (request) => {
    const { stream, events, expected } = request as AppendRequest;
    return eventStore.append(stream, events, expected);
  });

/** Message to the main thread: events of other programs were skipped. */
export const FOREIGN = 'foreign';

/** A log for reading. Necessary appends, such as the key of a subject, are made by the main thread. */
class ThreadEventStore extends DelegatingEventStore {
  constructor(
    inner: EventStore,
    private readonly link: ThreadLink,
  ) {
    super(inner);
  }

  override async append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    return (await this.link.ask(APPEND, { stream, events, expected } satisfies AppendRequest)) as AppendResult;
  }
}

/** Separate handles on the log for followers in a thread. */
const openLog = async ({ eventStoreUrl, eventStoreClient, dataDirectory }: FollowerSettings, link: ThreadLink): Promise<EventStore> => {
  if (eventStoreUrl)
    return openEventStoreDbLog(
      { eventStoreUrl, eventStoreClient },
      gathering((events) => void link.ask(FOREIGN, events).catch(() => undefined)),
    );
  const { openEmbeddedEventStore } = await import('#infra/stores/event-store/embedded/embedded-event-store.js');
  return openEmbeddedEventStore({ path: join(dataDirectory, 'log'), readOnly: true });
};

/** Time that a thread waits for a log that does not answer yet: on a busy machine it takes long to load and connect a client. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 500;

/** Repeats work that failed because the log did not answer. */
const patiently = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > end) throw error;
      await sleep(PAUSE_MS);
    }
  }
};

/** @throws if the log cannot be opened */
export const openThreadContext = async (settings: FollowerSettings, link: ThreadLink): ReturnType<OpenContext> => {
  const log = createLogger(settings.logLevel);
  logConsole(log);
  const store = await openLog(settings, link);
  try {
    const events = new SharedLog(new ThreadEventStore(store, link));
    const keys = await patiently(() => SubjectKeys.open({ store: events, masterKey: Buffer.from(settings.masterKey) }));
    const context: FollowerContext = { settings, events, keys, projections, log, now: Date.now, ...link };
    return { context, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
};
