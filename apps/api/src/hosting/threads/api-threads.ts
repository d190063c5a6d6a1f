import type { FastifyInstance } from 'fastify';
import type { OwnMetrics } from '#api/operations/metrics/own-metrics.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { type DoorOfThreads, openDoorOfThreads } from './from-threads.js';
import type { ThreadQuestion } from './messages.js';
import { SharedFlush } from './shared-flush.js';
import { ThreadProcess } from './thread-process.js';

/** A thread that does not say in this time what it has counted counts as it did before. */
const METRICS_MS = 1_000;
/** A thread that does not hear in this time that it is not to answer any more stands still, and answers nothing. */
const TELL_MS = 1_000;

/** Configuration of a thread: a node with the role `api` that follows nothing but the read models. */
const settingsOf = (configuration: Configuration): Configuration => ({
  ...configuration,
  roles: ['api'],
  chain: false,
  history: false,
  apiThreads: 1,
});

/**
 * The API threads of a node beside its main process: processes that share its port. Each answers reads from the read models, and hands everything else to
 * the main process, which alone has the log open for writing, and everything that counts for the node as a whole.
 */
export class ApiThreads {
  private threads: readonly ThreadProcess[] = [];
  private door: DoorOfThreads | undefined;
  private behind = false;
  /** Until threads have heard of something. */
  private told: Promise<unknown> | undefined;
  private readonly shown: SharedFlush;

  constructor(
    private readonly runtime: Pick<Runtime, 'configuration' | 'logger' | 'readStore' | 'readModels' | 'erasing' | 'drain'>,
    private readonly output: NodeJS.WritableStream,
  ) {
    this.shown = new SharedFlush(runtime.readStore);
    runtime.erasing.keys.onDestroyed((subject) => this.tell({ what: 'destroyed', subject: subject ?? null }));
  }

  /** Call it before the application is ready. Threads end before this server closes: it still answers what they have handed over. */
  register(fastify: FastifyInstance): void {
    fastify.addHook('preClose', () => this.stop());
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      const settled = this.settled();
      if (!settled) done(null, payload);
      else
        void settled.then((isShown) => {
          noteReadability(reply, isShown);
          done(null, payload);
        });
    });
  }

  /** Call it when the server listens. Returns when they are on their way. */
  async start(fastify: FastifyInstance): Promise<void> {
    const { configuration, logger, drain } = this.runtime;
    this.door = await openDoorOfThreads(fastify, configuration.dataDirectory);
    const common = {
      configuration: settingsOf(configuration),
      logger,
      output: this.output,
      door: this.door.path,
      entry: new URL('./api-thread-process.js', import.meta.url),
      server: fastify.server,
      situation: () => ({ behind: this.behind, draining: drain.isUnderWay }),
    };
    this.threads = Array.from({ length: configuration.apiThreads - 1 }, (_, index) => new ThreadProcess({ ...common, thread: index + 2 }));
    for (const thread of this.threads) thread.start();
  }

  /** How many take requests, the main process included. */
  get running(): number {
    return 1 + this.threads.filter(({ isRunning }) => isRunning).length;
  }

  /** Metrics of all threads since this process began; of a killed thread, up to the previous call. */
  async metrics(): Promise<readonly OwnMetrics[]> {
    return (await Promise.all(this.threads.map((thread) => thread.metrics(METRICS_MS)))).flat();
  }

  drain(): void {
    for (const thread of this.threads) thread.drain();
  }

  /** Resolves when all have answered what they were asked. */
  private async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
    await this.door?.close();
  }

  /** Resolves, with whether every thread shows what this process does, when an answer may go; `undefined`: now. */
  private settled(): Promise<boolean> | undefined {
    const isOwing = this.runtime.readModels.isOwing();
    if (isOwing !== this.behind) {
      // A write was answered that the read models do not show yet: this process alone knows what may be missing.
      this.behind = isOwing;
      this.tell({ what: 'behind', is: isOwing });
    }
    const shown = this.shown.wait();
    return this.told ? this.told.then(() => shown ?? true) : shown;
  }

  /** Answers wait until all threads know it. */
  private tell(question: ThreadQuestion): void {
    const told: Promise<unknown> = Promise.all([this.told, ...this.threads.map((thread) => thread.ask(question, TELL_MS))]).then(() => {
      if (this.told === told) this.told = undefined;
    });
    this.told = told;
  }
}
