import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '#infra/platform/scheduling/fair-queue.js';
import type { ValidationReply, ValidationTask } from './validation-worker.js';

/** A task exceeded its limit of time or memory. */
export class TaskAborted extends Error {
  override readonly name = 'TaskAborted';
}

export type ValidationPoolOptions = Readonly<{
  /** The module that workers run. Default: `validation-worker.js` in this folder. */
  entry?: URL;
  /** Default: one less than the number of processors, between 1 and 4. */
  workers?: number;
  /** Time limit of a task. Default 20,000. */
  taskMs?: number;
  /** Time in milliseconds after which an idle worker ends. Default 30,000. */
  idleMs?: number;
  /** Heap limit of a worker. Default 384. */
  heapMiB?: number;
}>;

type Outcome = Exclude<ValidationReply, { error: string }>;
type Job = Readonly<{ task: ValidationTask; resolve(outcome: Outcome): void; reject(error: unknown): void }>;

/**
 * Worker threads for work that would block the event loop: large schemas, and messages that take long to validate. Owners take turns, so that
 * one owner with many tasks delays the others by one task at a time. Threads start on demand and do not keep the process alive.
 */
export class ValidationPool {
  private readonly queue = new FairQueue<Job>();
  private readonly idle: Thread[] = [];
  private readonly threads = new Set<Thread>();
  private readonly options: Required<ValidationPoolOptions>;
  private done = 0;
  private closed = false;

  constructor(options: ValidationPoolOptions = {}) {
    this.options = {
      entry: options.entry ?? new URL('./validation-worker.js', import.meta.url),
      workers: options.workers ?? Math.max(1, Math.min(4, availableParallelism() - 1)),
      taskMs: options.taskMs ?? 20_000,
      idleMs: options.idleMs ?? 30_000,
      heapMiB: options.heapMiB ?? 384,
    };
  }

  /** Number of completed tasks. */
  get tasks(): number {
    return this.done;
  }

  /**
   * Runs a task when it is its owner's turn.
   * @throws TaskAborted the task took too much time or memory
   */
  run(owner: string, task: ValidationTask): Promise<Outcome> {
    if (this.closed) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      this.queue.add(owner, { task, resolve, reject });
      this.assign();
    });
  }

  /** Terminates all threads and running tasks. Waiting and later tasks are rejected. */
  async close(): Promise<void> {
    this.closed = true;
    for (let job = this.queue.take(); job; job = this.queue.take()) job.reject(ended());
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  private assign(): void {
    while (this.queue.length > 0) {
      let thread: Thread | undefined;
      try {
        thread = this.idle.pop() ?? this.started();
      } catch (error) {
        if (this.threads.size > 0) return; // one of them does the task later
        this.queue.take()?.reject(error);
        continue;
      }
      const job = thread && this.queue.take();
      if (!job) return;
      void thread?.work(job);
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

/** A thread's notifications to its pool: it is free, or it has ended. */
type Watch = Readonly<{ free(): void; gone(): void }>;

class Thread {
  private readonly worker: Worker;
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ready = false;
  private ended = false;

  constructor(
    private readonly options: Required<ValidationPoolOptions>,
    private readonly watch: Watch,
  ) {
    this.worker = new Worker(options.entry, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMiB, maxYoungGenerationSizeMb: 16 },
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

  /** Called when the thread has loaded its modules, because that time does not count against a task. */
  private begin(): void {
    this.ready = true;
    this.worker.on('message', (reply: ValidationReply) => this.answered(reply));
    if (this.job) this.send(this.job);
  }

  private send({ task }: Job): void {
    this.timer = setTimeout(() => this.failed(new TaskAborted('it took too long')), this.options.taskMs);
    this.worker.postMessage(task);
  }

  async end(): Promise<void> {
    this.failed(ended());
    await this.worker.terminate();
  }

  private answered(reply: ValidationReply): void {
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
    this.timer = setTimeout(() => this.failed(new Error('idle')), this.options.idleMs).unref();
    this.watch.free();
  }

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
