import type { FastifyInstance } from 'fastify';
import type { OwnMetrics } from '#api/operations/metrics/own-metrics.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { type DoorOfThreads, openDoorOfThreads } from './from-threads.js';
import type { ThreadQuestion } from './messages.js';
import { SharedFlush } from './shared-flush.js';
import { ThreadProcess } from './thread-process.js';

/** If a thread does not report its metrics within this time, the previous ones are used. */
const METRICS_MS = 1_000;
/** A thread that does not confirm within this time that it stops answering is stuck, and answers nothing anyway. */
const NOTIFY_MS = 1_000;

/** Configuration of a thread: a node with the role `api` that follows only the read models. */
const settingsOf = (configuration: Configuration): Configuration => ({
  ...configuration,
  roles: ['api'],
  chain: false,
  history: false,
  apiThreads: 1,
});

/**
 * The API threads of a node: processes that share the port of its main process. Each answers reads from the read models. All other requests
 * are handed over to the main process, which alone has the log open for writing and manages resources of the whole node.
 */
export class ApiThreads {
  private threads: readonly ThreadProcess[] = [];
  private door: DoorOfThreads | undefined;
  private behind = false;
  /** Pending notification of threads. */
  private notifying: Promise<unknown> | undefined;
  private readonly shown: SharedFlush;

  constructor(
    private readonly runtime: Pick<Runtime, 'configuration' | 'logger' | 'readStore' | 'readModels' | 'erasing' | 'drain'>,
    private readonly output: NodeJS.WritableStream,
  ) {
    this.shown = new SharedFlush(runtime.readStore);
    runtime.erasing.keys.onDestroyed((subject) => this.notify({ what: 'destroyed', subject: subject ?? null }));
  }

  /** Call it before the application is ready. Threads end before this server closes, which still answers requests they have handed over. */
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

  /** Call it when the server listens. Returns once the threads are starting. */
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

  /** Number of processes that accept requests, including the main process. */
  get running(): number {
    return 1 + this.threads.filter(({ isRunning }) => isRunning).length;
  }

  /** Metrics of all threads since this process began. Those of a killed thread are from the previous call. */
  async metrics(): Promise<readonly OwnMetrics[]> {
    return (await Promise.all(this.threads.map((thread) => thread.metrics(METRICS_MS)))).flat();
  }

  drain(): void {
    for (const thread of this.threads) thread.drain();
  }

  /** Resolves when all have finished their requests. */
  private async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
    await this.door?.close();
  }

  /** Resolves when an answer may be sent, with whether every thread shows the state of this process; `undefined` if it may be sent now. */
  private settled(): Promise<boolean> | undefined {
    const isOwing = this.runtime.readModels.isOwing();
    if (isOwing !== this.behind) {
      // An answered write is not in the read models yet: only this process knows that reads may miss it.
      this.behind = isOwing;
      this.notify({ what: 'behind', is: isOwing });
    }
    const shown = this.shown.wait();
    return this.notifying ? this.notifying.then(() => shown ?? true) : shown;
  }

  /** Answers wait until all threads have confirmed it. */
  private notify(question: ThreadQuestion): void {
    const asked = this.threads.map((thread) => thread.ask(question, NOTIFY_MS));
    const notified: Promise<unknown> = Promise.all([this.notifying, ...asked]).then(() => {
      if (this.notifying === notified) this.notifying = undefined;
    });
    this.notifying = notified;
  }
}
