import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { answerAppends } from '#api/runtime/followers/thread-context.js';
import type { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import { resultsSettings } from '#api/status/results-engine/results-engine.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { ThreadFollowers } from '#infra/engine/followers/followers.js';
import type { DayRequest } from '#infra/engine/results/day-computer.js';
import type { DayEngine } from '#infra/engine/results/engine-days.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { answerFrom } from './answer-port.js';
import type { LargeCall, SentCall } from './handed-over.js';
import { LOOK_MS, turnOfCall } from './turn-of-call.js';

/** Name of the follower in the thread. */
export const LARGE_CALLS_FOLLOWER = 'large-calls';

/** Request of the thread: compute a day of a large report. */
export const COMPUTE_DAY = 'compute-day';

/** Request to the thread. `isStored`: set if days of large reports may be read from disk. */
export type LargeRequest = Readonly<{ port: MessagePort; call: SentCall; isStored: boolean }>;

type LargeCallsDependencies = Readonly<{
  settings: FollowerSettings;
  logger: Logger;
  eventStore: Pick<EventStore, 'append'>;
  /** The read models of this process. */
  store: Pick<ReadStore, 'flush'>;
  /** `progress`: null while stored results must not be read. */
  engine: DayEngine & Readonly<{ progress: object | null }>;
  /** Module of the thread. Default: that of large calls. */
  entry?: URL;
  /** Milliseconds that an idle thread is kept. Default 30,000. */
  idleMs?: number;
}>;

/** For all tenants together, in time slices. The thread holds the rows of each until its answer was read; a tenant has one at a time (`BoundedResults`). */
const AT_A_TIME = 2;
const IDLE_MS = 30_000;
/** Heap limit of the thread in MiB. The largest days that may be listed take half of it. It also makes garbage collection start sooner. */
const MOST_MIB = 1_024;
const ENTRY = new URL('./large-calls-worker.js', import.meta.url);
const EVERYBODY = 'all';

/** Tests run from the sources, which a thread cannot load. There is no thread then. */
export const openLargeCalls = ({
  configuration,
  masterKey,
  ...rest
}: Omit<LargeCallsDependencies, 'settings'> & Readonly<{ configuration: Configuration; masterKey: Buffer }>): LargeCalls | undefined =>
  import.meta.url.endsWith('.ts') ? undefined : new LargeCalls({ ...rest, settings: resultsSettings(configuration, masterKey) });

/** Answers large calls in a thread that exists only while there are some. Their memory is freed with it. */
export class LargeCalls {
  private followers: ThreadFollowers | undefined;
  private readonly places = new Turnstile(AT_A_TIME);
  private under = 0;
  private idle: NodeJS.Timeout | undefined;
  private ending: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly dependencies: LargeCallsDependencies) {}

  /**
   * Answers a call in the thread. `done` is called once, when the answer was received or is abandoned.
   * @param longestMs limit of the wait for a place, of the computation, and of the client's time for each piece of a long answer
   * @throws StatusError as the read; 503 if the thread is gone or the time is over
   * @throws ReadStoreUnavailable the data for the thread cannot be written
   */
  async answer({ call, isGone }: LargeCall, longestMs: number, done: () => void): Promise<Answer> {
    this.under++;
    clearTimeout(this.idle);
    const finish = (): void => {
      done();
      if (--this.under === 0) this.idle = setTimeout(() => this.end(), this.dependencies.idleMs ?? IDLE_MS).unref();
    };
    const leave = await turnOfCall(this.places, EVERYBODY, { isGone, longestMs }).catch((error: unknown) => {
      finish();
      throw error;
    });
    const end = (): void => {
      leave();
      finish();
    };
    try {
      const port = await this.begun(call, isGone, end);
      const look = setInterval(() => isGone() && port.close(), LOOK_MS);
      return await answerFrom(port, longestMs, end).finally(() => clearInterval(look));
    } catch (error) {
      throw isGone() ? errors.nobodyWaits() : error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.idle);
    this.end();
    await this.ending;
  }

  /** Port of the call in the thread. Flushes first, because the thread reads from disk. `end` is called if the call cannot be sent. */
  private async begun(call: SentCall, isGone: () => boolean, end: () => void): Promise<MessagePort> {
    try {
      await this.dependencies.store.flush();
      if (isGone() || this.isClosed) throw errors.unavailable();
      return this.send(call);
    } catch (error) {
      end();
      throw error;
    }
  }

  private send(call: SentCall): MessagePort {
    const followers = this.running();
    const { port1, port2 } = new MessageChannel();
    const request: LargeRequest = { port: port2, call, isStored: this.dependencies.engine.progress !== null };
    followers.ask(LARGE_CALLS_FOLLOWER, request, [port2]).catch(() => port1.close());
    return port1;
  }

  private running(): ThreadFollowers {
    if (this.followers) return this.followers;
    const { settings, logger, eventStore, engine, entry = ENTRY } = this.dependencies;
    const followers = new ThreadFollowers({ settings, log: logger, entry, mostMiB: MOST_MIB });
    answerAppends(followers, eventStore);
    followers.answer(COMPUTE_DAY, (request) => engine.compute(request as DayRequest));
    followers.start();
    this.followers = followers;
    return followers;
  }

  private end(): void {
    const { followers } = this;
    this.followers = undefined;
    if (followers) this.ending = Promise.all([this.ending, followers.stop()]).then(() => undefined);
  }
}
