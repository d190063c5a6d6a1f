import type { MessagePort } from 'node:worker_threads';
import { answerAppends } from '#api/runtime/followers/thread-context.js';
import type { ThreadParts } from '#api/runtime/results-thread.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { Followers } from '#infra/engine/followers/followers.js';
import type { DayRequest } from '#infra/engine/results/day-computer.js';
import { type DayEngine, EngineDays } from '#infra/engine/results/engine-days.js';
import type { ResultsProgress } from '#infra/engine/results/progress.js';
import { RESULTS_FOLLOWER, resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Days } from '#projections/status/results/computed-days.js';

const NOTHING_KEPT: ResultsProgress = { runs: [], daysWaiting: 0, bytes: 0, lastMs: 0 };

/** Heap limit of the thread in MiB: half for days in memory, half for large calls. The largest days that may be listed take a quarter of it. */
const MOST_MIB = 2_048;

const settingsOf = (configuration: Configuration, masterKey: Buffer): FollowerSettings => {
  const { dataDirectory, eventStoreUrl, eventStoreClient, redisUrl, redisPrefix, logLevel } = configuration;
  return { dataDirectory, eventStoreUrl, eventStoreClient, redisUrl, redisPrefix, masterKey, logLevel, chain: false };
};

/**
 * Computes results of large reports in a thread and stores them on disk. Until it starts, they are computed like those of small ones. The
 * thread also answers large calls.
 */
export class ResultsEngine implements DayEngine {
  private readonly followers: Followers;
  private store: ResultsStore | undefined;

  constructor(private readonly dependencies: ThreadParts) {
    const { configuration, logger, eventStore, masterKey } = dependencies;
    const settings = settingsOf(configuration, masterKey);
    const entry = new URL('./results-worker.js', import.meta.url);
    this.followers = new Followers({ settings, log: logger, entry, mostMiB: MOST_MIB });
    answerAppends(this.followers, eventStore);
  }

  /**
   * To be called once the read models are known to belong to this log. The thread needs memory, so it starts with the first large report or call.
   * @throws EnvironmentError
   */
  start(): void {
    const { configuration, logger } = this.dependencies;
    const path = resultsPath(configuration.dataDirectory);
    this.store = ResultsStore.open({ path, report: (message) => logger.warn({ path }, message) });
    if (!this.store.isEmpty) this.followers.start();
  }

  /** Progress of the background work; `null` if it is not running. */
  get progress(): ResultsProgress | null {
    if (this.isIdle) return NOTHING_KEPT;
    return (this.followers.state(RESULTS_FOLLOWER)?.facts as ResultsProgress | undefined) ?? null;
  }

  /** True until there is a large report or call. */
  private get isIdle(): boolean {
    return this.store !== undefined && !this.followers.isStarted;
  }

  /** Age in seconds of the oldest change that stored results do not include; 0 if there is none. */
  get lagSeconds(): number {
    const since = (this.progress?.runs ?? []).flatMap((run) => (run.state === 'running' ? [Date.parse(run.since)] : []));
    return since.length === 0 ? 0 : Math.max(0, (Date.now() - Math.min(...since)) / 1_000);
  }

  get state(): 'off' | 'live' | 'catching-up' | 'stopped' {
    if (this.isIdle) return 'live';
    if (this.followers.trouble !== null) return 'stopped';
    return this.followers.state(RESULTS_FOLLOWER)?.state ?? 'off';
  }

  async compute(request: DayRequest): Promise<void> {
    if (this.isIdle) {
      this.begin(request);
      throw new Error('the thread has only begun');
    }
    await this.ready();
    await this.ask(request);
  }

  /** Starts the thread if it was never started, and flushes, because the thread reads from disk. @throws ReadStoreUnavailable */
  async ready(): Promise<void> {
    await this.dependencies.store.flush();
    if (!this.followers.isStarted) this.followers.start();
  }

  /** Asks the thread. `transfer`: ports in the request. @throws Error it is not running, or its own error */
  async ask(request: object, transfer?: readonly MessagePort[]): Promise<void> {
    await this.followers.ask(RESULTS_FOLLOWER, request, transfer);
  }

  /** Starts the thread, and requests the first day as soon as it runs. */
  private begin(first: DayRequest): void {
    const forget = this.followers.onState(RESULTS_FOLLOWER, () => {
      forget();
      this.ask(first).catch(() => undefined); // the reader of the day asks again
    });
    this.followers.start();
  }

  /** The days of `inner`, except for large ones. */
  over(inner: Days): Days {
    // Before its first report it has not checked yet that the stored results belong to this log.
    const stored = () => (this.progress === null ? undefined : this.store);
    return new EngineDays({ inner, stored, engine: this, now: Date.now });
  }

  async close(): Promise<void> {
    const { store } = this;
    this.store = undefined;
    await this.followers.stop();
    await store?.close();
  }
}
