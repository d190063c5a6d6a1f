import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '#infra/scheduling/fair-queue.js';
import type { JudgeReply, JudgeTask } from './judge-worker.js';

/** A task took longer, or more memory, than any may. */
export class TaskAborted extends Error {
  override readonly name = 'TaskAborted';
}

export type JudgePoolOptions = Readonly<{
  /** The module that workers run. Default: the one beside this. */
  entry?: URL;
  /** Default: one less than there are processors, 1 to 4. */
  workers?: number;
  /** How long a task may take: milliseconds. Default 20,000. */
  longest?: number;
  /** How long a worker may have nothing to do: milliseconds. Default 30,000. */
  idle?: number;
  /** Memory that a worker may use for its objects: MiB. Default 384. */
  memory?: number;
}>;

type Outcome = Exclude<JudgeReply, { error: string }>;
type Job = Readonly<{ task: JudgeTask; resolve(outcome: Outcome): void; reject(error: Error): void }>;

/**
 * Threads beside the event loop for what would hold it: schemas that are large, and messages that take long to judge. Owners take turns, so
 * that one who has much to judge delays the others by one task at a time. Threads are started when they are needed, and do not keep the process alive.
 */
export class JudgePool {
  private readonly queue = new FairQueue<Job>();
  private readonly idle: Thread[] = [];
  private readonly threads = new Set<Thread>();
  private readonly options: Required<JudgePoolOptions>;
  private done = 0;
  private closed = false;

  constructor(options: JudgePoolOptions = {}) {
    this.options = {
      entry: options.entry ?? new URL('./judge-worker.js', import.meta.url),
      workers: options.workers ?? Math.max(1, Math.min(4, availableParallelism() - 1)),
      longest: options.longest ?? 20_000,
      idle: options.idle ?? 30_000,
      memory: options.memory ?? 384,
    };
  }

  /** Tasks done so far. */
  get tasks(): number {
    return this.done;
  }

  /**
   * What comes of a task, when its owner's turn has come.
   * @throws TaskAborted it took too much time or memory
   */
  run(owner: string, task: JudgeTask): Promise<Outcome> {
    if (this.closed) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      this.queue.add(owner, { task, resolve, reject });
      this.assign();
    });
  }

  /** Ends all threads, with whatever they are doing. For good: what still waits and comes later is refused. */
  async close(): Promise<void> {
    this.closed = true;
    for (let job = this.queue.take(); job; job = this.queue.take()) job.reject(ended());
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private assign(): void {
    while (this.queue.length > 0) {
      const thread = this.idle.pop() ?? this.started();
      const job = thread && this.queue.take();
      if (!job) return;
      void thread.work(job);
    }
  }

  private started(): Thread | undefined {
    if (this.threads.size >= this.options.workers) return undefined;
    const thread = new Thread(this.options, {
      free: () => {
        this.done++;
        this.idle.push(thread);
        this.assign();
      },
      gone: () => {
        this.threads.delete(thread);
        const place = this.idle.indexOf(thread);
        if (place >= 0) this.idle.splice(place, 1);
        this.assign();
      },
    });
    this.threads.add(thread);
    return thread;
  }
}

const ended = (): Error => new Error('the server ends');

/** What a thread tells its pool: that it is free, or that it will do nothing any more. */
type Watch = Readonly<{ free(): void; gone(): void }>;

class Thread {
  private readonly worker: Worker;
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ready = false;
  private ended = false;

  constructor(
    private readonly options: Required<JudgePoolOptions>,
    private readonly watch: Watch,
  ) {
    this.worker = new Worker(options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: options.memory, maxYoungGenerationSizeMb: 16 },
      execArgv: process.execArgv.filter((argument) => argument === '--enable-source-maps'),
    });
    this.worker.unref();
    this.worker.once('message', () => this.begin());
    this.worker.on('error', (error: Error & { code?: string }) => {
      this.failed(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new TaskAborted('it took too much memory', { cause: error }) : error);
    });
    this.worker.on('exit', () => this.failed(new Error('the worker ended')));
  }

  work(job: Job): void {
    clearTimeout(this.timer);
    this.job = job;
    this.worker.ref();
    if (this.ready) this.send(job);
  }

  /** The thread has loaded what it works with: that time is no task's. */
  private begin(): void {
    this.ready = true;
    this.worker.on('message', (reply: JudgeReply) => this.answered(reply));
    if (this.job) this.send(this.job);
  }

  private send({ task }: Job): void {
    this.timer = setTimeout(() => this.failed(new TaskAborted('it took too long')), this.options.longest);
    this.worker.postMessage(task);
  }

  async end(): Promise<void> {
    this.failed(ended());
    await this.worker.terminate();
  }

  private answered(reply: JudgeReply): void {
    const { job } = this;
    if (!job || this.ended) return;
    clearTimeout(this.timer);
    this.job = undefined;
    if ('error' in reply) job.reject(new Error(`a worker failed: ${reply.error}`));
    else job.resolve(reply);
    if (reply.tired) {
      this.failed(new Error('tired'));
      return;
    }
    this.worker.unref();
    this.timer = setTimeout(() => this.failed(new Error('idle')), this.options.idle).unref();
    this.watch.free();
  }

  /** For good. */
  private failed(error: Error): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.job?.reject(error);
    this.job = undefined;
    void this.worker.terminate();
    this.watch.gone();
  }
}
