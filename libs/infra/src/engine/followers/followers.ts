import { type MessagePort, Worker } from 'node:worker_threads';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import { announceLost, EnvironmentLost } from '#infra/platform/lmdb/environment-error.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { Follower, FollowerContext, FollowerFactory, FollowerSettings, FollowerState, FromThread, ToThread } from './follower.js';
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

/** States of the followers in the main thread, wherever they run. */
abstract class KnownFollowers {
  protected readonly states = new Map<string, FollowerState>();
  protected readonly answerers = new Map<string, Answerer>();
  private readonly listeners = new Map<string, Set<Listener>>();

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

  protected remember(follower: string, state: FollowerState): void {
    this.states.set(follower, state);
    for (const listener of this.listeners.get(follower) ?? []) listener(state);
  }
}

/** The followers of a process. */
export interface Followers extends Pick<KnownFollowers, 'state' | 'onState' | 'answer'> {
  /** Starts in the background. */
  start(): void;
  /** Stops them in order. Safe to call twice. */
  stop(): Promise<void>;
  /** Asks a follower. `transfer`: ports in the request. @throws Error it is not running, or its own error */
  ask(follower: string, request: unknown, transfer?: readonly MessagePort[]): Promise<unknown>;
  /** True if they run, or will run, in this process: read-only openings of their stores must wait until they have opened them. */
  readonly isStarted: boolean;
  /** Reason why they are not running, in plain words; `null` if they are. */
  readonly trouble: string | null;
}

/** Followers in a thread of their own, which is restarted when it fails. */
export class ThreadFollowers extends KnownFollowers implements Followers {
  private worker: Worker | undefined;
  private readonly replies = new Replies();
  private restart: NodeJS.Timeout | undefined;
  private stopping: Promise<void> | undefined;
  private failures = 0;
  private failure: string | null = null;
  isStarted = false;

  constructor(private readonly options: FollowersOptions) {
    super();
  }

  get trouble(): string | null {
    return this.failure;
  }

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

  async ask(follower: string, request: unknown, transfer: readonly MessagePort[] = []): Promise<unknown> {
    const { worker } = this;
    if (!worker) throw new Error('the thread of the followers does not run now');
    return this.replies.expect((id) => worker.postMessage({ kind: 'ask', id, follower, request } satisfies ToThread, transfer));
  }

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
        this.remember(message.follower, message.state);
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

/** Followers in the current thread, for tests and commands. */
export class LocalFollowers extends KnownFollowers implements Followers {
  private started: Promise<readonly Follower[]> | undefined;
  private failure: string | null = null;

  constructor(
    private readonly factories: readonly FollowerFactory[],
    private readonly context: Omit<FollowerContext, 'report' | 'ask'>,
  ) {
    super();
  }

  get trouble(): string | null {
    return this.failure;
  }

  get isStarted(): boolean {
    return this.started !== undefined;
  }

  start(): void {
    this.started ??= this.begin();
  }

  async stop(): Promise<void> {
    await Promise.all(((await this.started) ?? []).map((follower) => follower.stop()));
  }

  async ask(name: string, request: unknown): Promise<unknown> {
    const follower = ((await this.started) ?? []).find((one) => one.name === name);
    if (!follower?.answer) throw new Error('there is no such follower');
    return follower.answer(request);
  }

  private async begin(): Promise<readonly Follower[]> {
    const context: FollowerContext = {
      ...this.context,
      report: (follower, state) => this.remember(follower, state),
      ask: async (topic, request) => {
        const answerer = this.answerers.get(topic);
        if (!answerer) throw new Error(`nobody answers ${topic}`);
        return answerer(request);
      },
    };
    try {
      const followers = await Promise.all(this.factories.map((factory) => factory(context)));
      for (const follower of followers) follower.start();
      return followers;
    } catch (error) {
      this.failure = 'the followers cannot start';
      this.context.log.error({ err: error }, this.failure);
      return [];
    }
  }
}
