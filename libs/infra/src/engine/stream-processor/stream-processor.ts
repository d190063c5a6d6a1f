import { LRUCache } from 'lru-cache';
import type { Decider } from '#domain/shared/decider.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { DomainEvent } from '#domain/shared/events.js';
import type { Execution, StreamCommand } from '#domain/shared/execution.js';
import { oldSpaceLimit } from '#infra/platform/program/heap-limit.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { NOT_REPEATED, Overloaded, ProcessorClosed, type QueuedCommand } from './execution.js';
import { FoldedStream } from './folded-stream.js';
import type { FoldingSources } from './folding-sources.js';
import { type SettleOptions, settleBatch } from './settle-batch.js';
import type { Snapshots } from './snapshots/snapshots.js';

/** Heap bytes per value that may be kept: a value takes about 50 of them. */
const VALUE_SHARE = 500;
/** Maximum number of commands per append. */
const MAX_BATCH_COMMANDS = 256;

export type StreamProcessorOptions = Readonly<{
  /**
   * Maximum total size of the folded states in memory, over all streams, counted in values (names, ids, numbers), two for each idempotency key,
   * and 40 per stream. The least recently used are evicted first; a single larger stream is kept alone. Default 1,000,000: about 50 MiB, or a
   * tenth of a heap below half a GiB.
   */
  maxStateSize?: number;
  /** Maximum number of commands waiting for one stream. Default 2,000. */
  maxWaiting?: number;
  /** Maximum number of events per append, unless a single command has more. Default 1,000. */
  maxBatchEvents?: number;
  /** Maximum bytes per append, unless a single command has more. Default 1,000,000: below EventStoreDB's 1 MiB. */
  maxBatchBytes?: number;
  /**
   * Time to probe the log for an append with an unknown outcome, and to resend it if it is not in the log. Default 2,000: the store has
   * retried for some seconds by then.
   */
  recoveryMilliseconds?: number;
  /** Storage of folded states and idempotency keys of long streams. Default: they are read from the log after each start. */
  snapshots?: Snapshots;
}>;

/** Counts since the start, except `waiting`, `cachedStreams` and `stateSize`, which are current values. */
export type StreamProcessorMetrics = Readonly<{
  /** Commands accepted into a queue. */
  commands: number;
  /** Acknowledged appends; each contains the events of one or more commands. */
  batches: number;
  /** Appends refused because another process had written. */
  conflicts: number;
  /** Appends whose outcome was unknown at first. */
  unknownOutcomes: number;
  waiting: number;
  cachedStreams: number;
  stateSize: number;
}>;

/**
 * Executes commands on streams. The commands of one stream are decided in the order of arrival and written together; streams do not wait
 * for each other. A command is answered only once the log holds its events. It fails only if the log does not hold them, as far as that can
 * be known.
 */
export class StreamProcessor {
  private readonly folded: LRUCache<string, FoldedStream>;
  private readonly queues = new Map<string, QueuedCommand[]>();
  private readonly drains = new Map<string, Promise<void>>();
  private readonly counters = { commands: 0, batches: 0, conflicts: 0, unknownOutcomes: 0 };
  private readonly settle: SettleOptions;
  private readonly sources: FoldingSources;
  private readonly snapshots: Snapshots | undefined;
  private readonly maxStateSize: number;
  private readonly maxWaiting: number;
  private closed = false;
  private interruptions = 0;

  constructor(store: EventStore, codec: EventCodec, options: StreamProcessorOptions = {}) {
    this.maxStateSize = options.maxStateSize ?? Math.min(1_000_000, Math.floor(oldSpaceLimit() / VALUE_SHARE));
    this.maxWaiting = options.maxWaiting ?? 2_000;
    this.folded = new LRUCache({ maxSize: this.maxStateSize });
    store.onInterruption(() => {
      this.interruptions += 1;
    });
    const { snapshots } = options;
    this.snapshots = snapshots;
    this.sources = { store, codec, interruptions: () => this.interruptions, ...(snapshots && { snapshots }) };
    this.settle = {
      store,
      codec,
      limits: { events: options.maxBatchEvents ?? 1_000, bytes: options.maxBatchBytes ?? 1_000_000 },
      recoveryMilliseconds: options.recoveryMilliseconds ?? 2_000,
      count: (happening) => {
        this.counters[happening] += 1;
      },
    };
  }

  /**
   * Resolves when the command's events are durable, or it is known that there are none.
   *
   * Rejects with the decider's error; with IdempotencyKeyReused, Overloaded, ConcurrencyExhausted, ProcessorClosed, SubjectKeyDestroyed,
   * UnknownEventType, EventStoreUnavailable or InvalidAppend if nothing was written; with AppendOutcomeUnknown if that could not be
   * determined.
   */
  execute<State, Command, Event extends DomainEvent>(request: StreamCommand<State, Command, Event>): Promise<Execution<Event>> {
    return this.enqueue(request);
  }

  /**
   * The execution of an earlier command with the same idempotency key in the stream; `undefined`: there is none. The command itself is
   * ignored. Rejects like {@link execute}.
   */
  async repeated<State, Command, Event extends DomainEvent>(
    request: StreamCommand<State, Command, Event>,
  ): Promise<Execution<Event> | undefined> {
    if (!request.context.idempotency) return undefined;
    try {
      return await this.enqueue(request, { onlyRepeated: true });
    } catch (error) {
      if (error === NOT_REPEATED) return undefined;
      throw error;
    }
  }

  /** Removes what is stored beside the log of the idempotency keys of streams that have ended, in the background. */
  forget(...streams: readonly string[]): void {
    this.snapshots?.drop(...streams);
  }

  private enqueue<State, Command, Event extends DomainEvent>(
    request: StreamCommand<State, Command, Event>,
    options: Pick<QueuedCommand, 'onlyRepeated'> = {},
  ): Promise<Execution<Event>> {
    const { stream, command, context } = request;
    // The queue erases types. A command is decided by the decider that came with it, so its result has that decider's type.
    const decider: Decider<unknown, unknown, DomainEvent> = request.decider;
    const waiting = this.queues.get(stream);
    if (this.closed) return Promise.reject(new ProcessorClosed('the stream processor is closing'));
    if (waiting && waiting.length >= this.maxWaiting) return Promise.reject(new Overloaded(stream));
    this.counters.commands += 1;
    return new Promise((resolve, reject) => {
      const queued: QueuedCommand = {
        decider,
        command,
        context,
        ...options,
        resolve: (execution) => resolve(execution as Execution<Event>),
        reject,
      };
      if (waiting) waiting.push(queued);
      else this.start(stream, [queued]);
    });
  }

  metrics(): StreamProcessorMetrics {
    let waiting = 0;
    for (const commands of this.queues.values()) waiting += commands.length;
    return { ...this.counters, waiting, cachedStreams: this.folded.size, stateSize: this.folded.calculatedSize };
  }

  /** Resolves when the accepted commands are answered, and the snapshots that are due then have been written or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.drains.values());
    await this.snapshots?.settled();
  }

  /** Accepts no more commands and waits until the accepted ones are answered. Must be called before the store is closed. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.drains.values());
    await this.snapshots?.close();
  }

  private start(stream: string, commands: QueuedCommand[]): void {
    this.queues.set(stream, commands);
    this.drains.set(stream, this.drain(stream, commands));
  }

  /** Settles one batch after another until no command waits. While one batch is written, the next one accumulates. */
  private async drain(stream: string, waiting: QueuedCommand[]): Promise<void> {
    // Commands sent in the same turn of the event loop belong together.
    await Promise.resolve();
    for (let first = waiting[0]; first; first = waiting[0]) {
      const { decider } = first;
      const otherDecider = waiting.findIndex((queued) => queued.decider !== decider);
      const commands = waiting.splice(0, Math.min(MAX_BATCH_COMMANDS, otherDecider < 0 ? waiting.length : otherDecider));
      const folded = this.foldedBy(stream, decider);
      waiting.unshift(...(await settleBatch(folded, commands, this.settle)));
      await folded.measure();
      this.keep(stream, folded);
    }
    this.queues.delete(stream);
    this.drains.delete(stream);
  }

  private foldedBy(stream: string, decider: QueuedCommand['decider']): FoldedStream {
    const known = this.folded.get(stream);
    if (known?.decider === decider) return known;
    return new FoldedStream(stream, decider, this.sources);
  }

  /** Sets the entry again after each batch, because its weight has changed. */
  private keep(stream: string, folded: FoldedStream): void {
    this.folded.delete(stream);
    this.folded.set(stream, folded, { size: Math.min(folded.weight, this.maxStateSize) });
    this.snapshots?.consider(folded);
  }
}
