import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { nextTurn } from '#infra/platform/coordination/next-turn.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { LogConnection } from './connection.js';
import { isFinal, isServersOwn, NoAnswer, ReadRefused } from './errors.js';
import type { Interruptions } from './interruptions.js';
import { type EventStoreDbLimits, retryPauseMs } from './limits.js';
import type { LogClient, ReadCall, ReadListener, ReadRequest } from './log-client.js';
import type { ReadMessage, WireEvent } from './messages/records.js';
import { Patience } from './patience.js';

/** Receives one event. Returns false to cancel the call, because nothing more is needed. */
type AcceptsEvent = (wire: WireEvent) => boolean;

/** Receives the results of one read attempt. */
type Taker = Readonly<{ take: AcceptsEvent; last?: (revision: NonNullable<ReadMessage['last']>) => void }>;

/** Collects the events of one read attempt. */
export type Collector<Result> = Taker & Readonly<{ result: () => Result }>;

type ReadOptions = Readonly<{
  /** Aborting it ends the read with an error. */
  signal?: AbortSignal | undefined;
  /** Set if the server may be silent because it searches: the read goes on while it answers reads of the head, until the store closes. Default false. */
  searching?: boolean;
  /** Time limit in milliseconds. Default: the limit of all calls. */
  withinMs?: number | undefined;
}>;

/** Exceptions of the server that a read retries. Some are temporary, for example while the server closes a file of the log. */
const SERVER_FAULTS = 3;

/** Runs reads with time limits, and retries them through outages. */
export class Reader {
  private readonly patience: Patience;

  constructor(
    readonly connection: LogConnection,
    readonly limits: EventStoreDbLimits,
    /** Aborted when the store closes; then there are no more attempts. */
    readonly closing: AbortSignal,
    readonly interruptions: Interruptions,
  ) {
    this.patience = new Patience(limits.retryMs);
  }

  /**
   * Repeats a read from its beginning until it succeeds; `start` creates a new collector for each attempt.
   * @throws ReadRefused a retry would not help
   * @throws EventStoreUnavailable no answer within the limits
   */
  async read<Result>(request: ReadRequest, start: () => Collector<Result>, options: ReadOptions = {}): Promise<Result> {
    const { withinMs = Number.POSITIVE_INFINITY } = options;
    const until = Math.min(this.patience.until(), performance.now() + withinMs);
    for (let attempt = 1; ; attempt++) {
      const collector = start();
      const began = performance.now();
      try {
        await this.once(request, collector, options, until);
        this.patience.succeeded();
        return collector.result();
      } catch (error) {
        if (!isServersOwn(error) || attempt >= SERVER_FAULTS) throwIfFinal(error);
        if (!options.signal?.aborted && !isFinal(error)) {
          this.patience.failed(began);
          this.interruptions.notify();
        }
        const pauseMs = retryPauseMs(attempt);
        if (this.hasEnded(options) || performance.now() + pauseMs > until)
          throw new EventStoreUnavailable('EventStoreDB does not answer a read', { cause: error });
        await sleep(pauseMs, undefined, { signal: options.signal }).catch(() => {});
      }
    }
  }

  private hasEnded({ signal }: ReadOptions): boolean {
    return this.closing.aborted || signal?.aborted === true;
  }

  /** Converts all events of a read. @throws like `read` */
  all<Result>(request: ReadRequest, convert: (wire: WireEvent) => Result, options?: ReadOptions): Promise<readonly Result[]> {
    const start = (): Collector<readonly Result[]> => {
      const found: Result[] = [];
      return { take: (wire) => found.push(convert(wire)) > 0, result: () => found };
    };
    return this.read(request, start, options);
  }

  /** Starts a call that lasts until it is cancelled. Silence does not end it. */
  async open(request: ReadRequest, listener: ReadListener): Promise<ReadCall> {
    try {
      return await openWithin(this.limits.silenceMs, this.connection.client, request, listener);
    } catch (error) {
      this.interruptions.notify();
      throw error;
    }
  }

  private async once(request: ReadRequest, taker: Taker, options: ReadOptions, until: number): Promise<void> {
    const { client } = this.connection;
    const { silenceMs: longest } = this.limits;
    const silenceMs = () => Math.min(this.patience.waitFor(longest, until), options.withinMs ?? longest);
    const isAlive = options.searching ? () => this.isAlive(client) : undefined;
    const signals = [options.signal, options.searching ? this.closing : undefined].filter((signal) => signal !== undefined);
    try {
      await receive(client, request, taker, { silenceMs, isAlive, signals });
    } catch (error) {
      if (error instanceof NoAnswer && this.patience.mayReplace(until)) this.connection.drop(client);
      throw error;
    }
  }

  private isAlive(client: LogClient): Promise<boolean> {
    return receive(client, { of: 'head' }, { take: () => false }, { silenceMs: () => this.limits.silenceMs }).then(
      () => true,
      () => false,
    );
  }
}

/** @throws ReadRefused the read would fail again */
const throwIfFinal = (error: unknown): void => {
  if (isFinal(error)) throw new ReadRefused('EventStoreDB refuses a read', { cause: error });
};

/** `silenceMs`: longest silence, as of now: an outage in which it was short may be over. */
type SilenceLimits = Readonly<{
  silenceMs: () => number;
  isAlive?: (() => Promise<boolean>) | undefined;
  /** Aborting one of them ends the call with an error. */
  signals?: readonly AbortSignal[];
}>;

/** Runs one read call until it ends or `take` returns false. @throws NoAnswer after `silenceMs` without a message */
const receive = async (client: LogClient, request: ReadRequest, { take, last }: Taker, limits: SilenceLimits): Promise<void> => {
  for (const signal of limits.signals ?? []) signal.throwIfAborted();
  let call: ReadCall | undefined;
  let stop: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const watch = watchSilence(limits, reject);
      stop = watch.stop;
      const listener: ReadListener = {
        message: (message) => {
          if (!watch.heard()) return;
          if (message.last !== undefined) last?.(message.last);
          if (!message.event || take(message.event)) return;
          watch.stop(); // the same chunk may hold more
          resolve();
        },
        ended: (error) => (error ? reject(error) : resolve()),
      };
      client.read(request, listener).then(
        (opened) => {
          call = opened;
          if (watch.isStopped()) opened.cancel();
        },
        (error: unknown) => reject(error),
      );
    });
  } finally {
    stop?.();
    call?.cancel();
  }
};

/** Calls `giveUp` on a signal, or when the server has been silent too long. `heard` returns false once stopped. */
const watchSilence = ({ silenceMs, isAlive, signals = [] }: SilenceLimits, giveUp: (reason: unknown) => void) => {
  let messages = 0;
  let stopped = false;
  let since = performance.now();
  const silent = async () => {
    const before = messages;
    await nextTurn(); // where this process stood still, messages that came meanwhile are not read yet
    if (stopped || messages !== before) return;
    const leftMs = since + silenceMs() - performance.now();
    if (leftMs > 0) return watch(leftMs);
    const alive = await isAlive?.();
    if (stopped || messages !== before) return;
    if (!alive) return giveUp(new NoAnswer('the server is silent'));
    since = performance.now();
    watch(silenceMs());
  };
  let timer: NodeJS.Timeout | undefined;
  const watch = (ms: number): void => {
    timer = setTimeout(() => void silent(), ms);
  };
  watch(silenceMs());
  const abort = ({ target }: Event): void => giveUp((target as AbortSignal).reason);
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  return {
    heard: (): boolean => {
      if (stopped) return false;
      messages += 1;
      since = performance.now();
      timer?.refresh();
      return true;
    },
    isStopped: (): boolean => stopped,
    stop: (): void => {
      stopped = true;
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', abort);
    },
  };
};

/** Opening a call includes finding a node of a cluster. */
const openWithin = async (ms: number, client: LogClient, request: ReadRequest, listener: ReadListener): Promise<ReadCall> => {
  const opening = client.read(request, listener);
  return within(ms, opening, () => {
    opening.then(
      (call) => call.cancel(),
      () => {},
    );
    throw new NoAnswer('no connection');
  });
};
