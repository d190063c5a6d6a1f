import { type ChildProcess, fork } from 'node:child_process';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnMetrics, sumOfEnded } from '#api/operations/metrics/own-metrics.js';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { Replies } from '#infra/engine/followers/replies.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { backOff } from '#infra/platform/coordination/back-off.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { FromThread, ThreadQuestion, ToThread } from './messages.js';

type ThreadOptions = Readonly<{
  /** From 2 on, because the main process is the first thread. */
  thread: number;
  configuration: Configuration;
  logger: Pick<Logger, 'info' | 'error'>;
  /** Receives the log of the threads. */
  output: NodeJS.WritableStream;
  /** Path of the socket for requests that they hand over. */
  door: string;
  /** The program of a thread. */
  entry: URL;
  /** The server whose connections they share. */
  server: Server;
  /** `behind`: set while the main process answers everything. `draining`: set while it ends. */
  situation: () => Readonly<{ behind: boolean; draining: boolean }>;
}>;

const restartPauseMs = backOff(500, 30_000);
/** A thread that has run for so long counts as healthy. */
const SOUND_MS = 60_000;
/** Longer than the wait for a thread's requests and stores at its end. */
const STOP_MS = 8_000;

/** One API thread: a process that is restarted when it ends, until it is stopped. */
export class ThreadProcess {
  private child: ChildProcess | undefined;
  private readonly replies = new Replies();
  private isReady = false;
  private isStopping = false;
  private failures = 0;
  private restart: NodeJS.Timeout | undefined;
  /** Its last known metrics, and those of its predecessors. */
  private lastMetrics: OwnMetrics | null = null;
  private past: Promise<OwnMetrics | null> = Promise.resolve(null);

  constructor(private readonly options: ThreadOptions) {}

  /** True while it accepts connections. */
  get isRunning(): boolean {
    return this.isReady;
  }

  start(): void {
    const { configuration, thread, door, entry, output } = this.options;
    const own = output === process.stdout;
    const child = fork(entry, [], {
      serialization: 'advanced',
      stdio: ['ignore', own ? 'inherit' : 'pipe', own ? 'inherit' : 'pipe', 'ipc'],
    });
    const began = performance.now();
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(output, { end: false });
    child.on('message', (message) => this.receive(message as FromThread));
    child.on('error', () => undefined); // `exit` follows, or the error is about a message to a process that is gone
    child.once('exit', (code, signal) => this.exited(code ?? signal, performance.now() - began));
    this.send({ kind: 'begin', configuration, thread, door });
  }

  /** @returns its answer; `null` if it does not answer in time, or is not running */
  async ask(question: ThreadQuestion, timeoutMs: number): Promise<OwnMetrics | null> {
    if (!this.isReady) return null;
    return askedSoon(this.replies.expect((id) => this.send({ kind: 'ask', id, question })) as Promise<OwnMetrics | null>, timeoutMs);
  }

  /** Metrics of the thread and its predecessors; the last known ones if it does not answer. */
  async metrics(timeoutMs: number): Promise<readonly OwnMetrics[]> {
    const metrics = await this.ask({ what: 'metrics' }, timeoutMs);
    if (metrics) this.lastMetrics = metrics;
    return [await this.past, this.lastMetrics].filter((one) => one !== null);
  }

  drain(): void {
    this.send({ kind: 'drain' });
  }

  /** Resolves when it has finished its requests and is gone. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    const { child } = this;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.send({ kind: 'stop' });
    const late = new AbortController();
    const killed = sleep(STOP_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL'));
    await Promise.race([gone, killed.catch(() => undefined)]);
    late.abort();
    await gone;
  }

  private send(message: ToThread, server?: Server): void {
    if (this.child?.connected) this.child.send(message, server, () => undefined);
  }

  private receive(message: FromThread): void {
    if (message.kind === 'answer') this.replies.settle(message);
    else {
      this.send({ kind: 'listen', ...this.options.situation() }, this.options.server);
      this.isReady = true;
      this.options.logger.info({ thread: this.options.thread, process: this.child?.pid }, 'an API thread takes requests');
    }
  }

  private exited(reason: unknown, ranMs: number): void {
    this.child = undefined;
    this.isReady = false;
    this.replies.fail(new Error('the thread has ended'));
    const { lastMetrics } = this;
    this.lastMetrics = null;
    if (lastMetrics) this.past = this.past.then((past) => sumOfEnded(past ? [past, lastMetrics] : [lastMetrics]));
    if (this.isStopping) return;
    this.failures = ranMs > SOUND_MS ? 1 : this.failures + 1;
    const pauseMs = restartPauseMs(this.failures);
    this.options.logger.error({ thread: this.options.thread, reason, pauseMs }, 'an API thread has ended and is started again');
    this.restart = setTimeout(() => this.start(), pauseMs).unref();
  }
}
