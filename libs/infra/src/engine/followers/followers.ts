import { type MessagePort, Worker } from 'node:worker_threads';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { announceLost, EnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { FollowerSettings, FollowerState, FromThread, ToThread } from './follower.js';
import { messageOf, Replies } from './replies.js';

type Answerer = (request: unknown) => unknown;
type Listener = (state: FollowerState) => void;

type FollowersOptions = Readonly<{
  settings: FollowerSettings;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Module of the thread; it calls `runFollowers`. */
  entry: URL;
  /** Maximum memory for the thread's objects in MiB. Beyond it the thread ends and is restarted. Default: as Node.js decides. */
  mostMiB?: number;
}>;

/** Three semi-spaces of 16 MiB. With 8, collections take twice the processor time. */
const YOUNG_MIB = 48;
const restartPauseMs = backOff(500, 30_000);
/** Maximum time for the thread to stop in order. */
const STOP_MS = 4_000;
/** Running time after which a thread counts as healthy. */
const SOUND_MS = 60_000;

/** Followers in a thread of their own, which is restarted when it fails. */
export class Followers {
  private worker: Worker | undefined;
  private readonly replies = new Replies();
  private restart: NodeJS.Timeout | undefined;
  private stopping: Promise<void> | undefined;
  private failures = 0;
  private failure: string | null = null;
  private readonly states = new Map<string, FollowerState>();
  private readonly answerers = new Map<string, Answerer>();
  private readonly listeners = new Map<string, Set<Listener>>();
  /** True if they run, or will run, in this process: read-only openings of their stores must wait until they have opened them. */
  isStarted = false;

  constructor(private readonly options: FollowersOptions) {}

  /** Reason why they are not running, in plain words; `null` if they are. */
  get trouble(): string | null {
    return this.failure;
  }

  /** The last reported state; `null` if there is none yet. */
  state(follower: string): FollowerState | null {
    return this.states.get(follower) ?? null;
  }

  /** Calls `listener` with every report. Returns a function that removes it. */
  onState(follower: string, listener: Listener): () => void {
    const listeners = getOrInsert(this.listeners, follower, () => new Set()).add(listener);
    return () => listeners.delete(listener);
  }

  /** Registers the answerer for a topic of questions from followers. One per topic. */
  answer(topic: string, answerer: Answerer): void {
    this.answerers.set(topic, answerer);
  }

  /** Starts in the background. */
  start(): void {
    if (this.worker || this.stopping) return;
    this.isStarted = true;
    try {
      this.run();
    } catch (error) {
      this.ended(error, 0); // the system has no room for a thread now
    }
  }

  private run(): void {
    const began = performance.now();
    const worker = new Worker(this.options.entry, {
      workerData: this.options.settings,
      execArgv: process.execArgv.filter((argument) => argument === '--enable-source-maps'),
      resourceLimits: {
        maxYoungGenerationSizeMb: YOUNG_MIB,
        ...(this.options.mostMiB !== undefined && { maxOldGenerationSizeMb: this.options.mostMiB }),
      },
    });
    this.worker = worker;
    // Node's own pipe to standard output ends with its first error, and the thread would keep all later lines.
    worker.stdout
      .unpipe()
      .on('data', (chunk) => process.stdout.write(chunk))
      .resume();
    worker.unref();
    let error: unknown;
    worker.on('message', (message: FromThread) => this.hear(worker, message));
    worker.on('error', (thrown) => {
      error = thrown;
    });
    worker.once('exit', () => this.ended(error, performance.now() - began));
  }

  /** Asks a follower. `transfer`: ports in the request. @throws Error it is not running, or its own error */
  async ask(follower: string, request: unknown, transfer: readonly MessagePort[] = []): Promise<unknown> {
    const { worker } = this;
    if (!worker) throw new Error('the thread of the followers does not run now');
    return this.replies.expect((id) => worker.postMessage({ kind: 'ask', id, follower, request } satisfies ToThread, transfer));
  }

  /** Stops them in order. Safe to call twice. */
  stop(): Promise<void> {
    this.stopping ??= this.end();
    return this.stopping;
  }

  private async end(): Promise<void> {
    clearTimeout(this.restart);
    const { worker } = this;
    if (!worker) return;
    const ended = new Promise<unknown>((resolve) => worker.once('exit', resolve));
    worker.postMessage({ kind: 'stop' } satisfies ToThread);
    await within(STOP_MS, ended, () => worker.terminate());
  }

  private hear(worker: Worker, message: FromThread): void {
    switch (message.kind) {
      case 'state':
        this.states.set(message.follower, message.state);
        for (const listener of this.listeners.get(message.follower) ?? []) listener(message.state);
        break;
      case 'answer':
        this.replies.settle(message);
        break;
      case 'ask':
        void this.reply(worker, message);
        break;
      case 'started':
        this.failure = null;
        break;
      case 'lost':
        announceLost(new EnvironmentLost(message.path)); // lost for the whole process
        break;
      case 'stopped':
    }
  }

  private async reply(worker: Worker, { id, topic, request }: Extract<FromThread, { kind: 'ask' }>): Promise<void> {
    let reply: ToThread;
    try {
      const answerer = this.answerers.get(topic);
      if (!answerer) throw new Error(`nobody answers ${topic}`);
      reply = { kind: 'answer', id, result: await answerer(request) };
    } catch (error) {
      reply = { kind: 'answer', id, error: messageOf(error) };
    }
    worker.postMessage(reply);
  }

  private ended(error: unknown, ranMs: number): void {
    this.worker = undefined;
    this.replies.fail(new Error('the thread of the followers has ended'));
    if (this.stopping) return;
    this.failures = ranMs > SOUND_MS ? 1 : this.failures + 1;
    this.failure = 'the thread of the followers has failed and is started again';
    const pauseMs = restartPauseMs(this.failures);
    this.options.log.error({ err: error, pauseMs }, this.failure);
    this.restart = setTimeout(() => this.start(), pauseMs).unref();
  }
}
