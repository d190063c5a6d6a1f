import { answerAppends } from '#api/runtime/followers/thread-context.js';
import type { ThreadParts } from '#api/runtime/service-threads.js';
import { projections } from '#api/runtime/vocabulary.js';
import type { FollowerSettings } from '#infra/engine/followers/follower.js';
import { type Followers, LocalFollowers, ThreadFollowers } from '#infra/engine/followers/followers.js';
import type { DayRequest } from '#infra/engine/results/day-computer.js';
import { type DayEngine, EngineDays } from '#infra/engine/results/engine-days.js';
import type { ResultsProgress } from '#infra/engine/results/progress.js';
import { RESULTS_FOLLOWER, resultsFollower, resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Days } from '#projections/status/results/computed-days.js';
import { readerParts } from './reader-parts.js';

type ResultsEngineDependencies = ThreadParts &
  Readonly<{
    /** Number of expected metrics from which a day is computed in the thread and stored on disk. Default 1,000. */
    largeFrom?: number;
  }>;

const NOTHING_KEPT: ResultsProgress = { runs: [], daysWaiting: 0, bytes: 0, lastMs: 0 };

const isSource = import.meta.url.endsWith('.ts');

/** Settings of threads that read the input of results. */
export const resultsSettings = (configuration: Configuration, masterKey: Buffer): FollowerSettings => {
  const { dataDirectory, eventStoreUrl, eventStoreClient, redisUrl, redisPrefix, logLevel } = configuration;
  return { dataDirectory, eventStoreUrl, eventStoreClient, redisUrl, redisPrefix, masterKey, logLevel, chain: false };
};

/** Tests run from the sources, which a thread cannot load. Then results are computed in this thread. */
const newFollowers = (dependencies: ResultsEngineDependencies): Followers => {
  const { configuration, logger, eventStore, masterKey, keys, store } = dependencies;
  const settings = resultsSettings(configuration, masterKey);
  if (!isSource) return new ThreadFollowers({ settings, log: logger, entry: new URL('./results-worker.js', import.meta.url) });
  const sources = async () => ({ store, reader: readerParts(store), close: async () => {} });
  return new LocalFollowers([resultsFollower(sources)], { settings, events: eventStore, keys, projections, log: logger, now: Date.now });
};

/** Computes results of large reports in a thread and stores them on disk. Until it starts, they are computed like those of small ones. */
export class ResultsEngine implements DayEngine {
  private readonly followers: Followers;
  private store: ResultsStore | undefined;

  constructor(private readonly dependencies: ResultsEngineDependencies) {
    this.followers = newFollowers(dependencies);
    answerAppends(this.followers, dependencies.eventStore);
  }

  /**
   * To be called once the read models are known to belong to this log. The thread needs memory, so it starts with the first large report.
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

  /** True until there is a large report. */
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
    await this.dependencies.store.flush(); // the thread reads from disk
    await this.followers.ask(RESULTS_FOLLOWER, request);
  }

  /** Starts the thread, and requests the first day as soon as it runs. */
  private begin(first: DayRequest): void {
    const forget = this.followers.onState(RESULTS_FOLLOWER, () => {
      forget();
      this.followers.ask(RESULTS_FOLLOWER, first).catch(() => undefined); // the reader of the day asks again
    });
    this.followers.start();
  }

  /** The days of `inner`, except for large ones. */
  over(inner: Days): Days {
    const { largeFrom } = this.dependencies;
    // Before its first report it has not checked yet that the stored results belong to this log.
    const stored = () => (this.progress === null ? undefined : this.store);
    return new EngineDays({ inner, stored, engine: this, now: Date.now, largeFrom });
  }

  async close(): Promise<void> {
    const { store } = this;
    this.store = undefined;
    await this.followers.stop();
    await store?.close();
  }
}
