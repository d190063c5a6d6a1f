import { randomUUID } from 'node:crypto';
import { categoryOf, type EventMetadata, type NewEvent, type Revision } from '#domain/shared/events.js';
import type { ExecutedEvent } from '#domain/shared/execution.js';
import type { EncodedEvent, EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { IdempotencyKeyReused, type QueuedCommand } from './execution.js';
import type { FoldedStream } from './folded-stream.js';
import { isSameBody } from './snapshots/key-segments.js';
import type { KeyUse } from './used-keys.js';

/** Bounds of one append. Only a single command may exceed them. */
export type BatchLimits = Readonly<{ events: number; bytes: number }>;

/** What a command came to, provided that the batch is written. */
export type CommandOutcome =
  | Readonly<{ kind: 'accepted'; events: readonly ExecutedEvent[] }>
  | Readonly<{ kind: 'rejected'; error: unknown }>
  /** An earlier command of this very batch had the same idempotency key. */
  | Readonly<{ kind: 'duplicate-in-batch'; events: readonly ExecutedEvent[] }>
  /** A command that is in the log already had the same idempotency key. */
  | Readonly<{ kind: 'duplicate-in-log'; use: KeyUse }>;

/** An event of a command, not yet in the log. */
type PendingEvent = Readonly<{ queued: QueuedCommand; encoded: EncodedEvent; event: ExecutedEvent }>;

/** Commands decided one after another, to be written by one append. */
export type Batch = Readonly<{
  /** The head revision they were decided on; `null` when the stream has no events. */
  base: Revision | null;
  outcomes: readonly Readonly<{ queued: QueuedCommand; outcome: CommandOutcome }>[];
  pending: readonly PendingEvent[];
  /** Events at the end that the state has not seen yet: no later command needed them, so a refused append need not spoil the state. */
  unapplied: readonly ExecutedEvent[];
  /** Commands left over, because the append would grow too large. */
  deferred: readonly QueuedCommand[];
}>;

/**
 * Decides the commands in order, each on the state that its predecessors leave. A rejected command leaves the state as it is.
 * Nobody is answered yet: all outcomes, rejections too, hold only if the append finds the stream where the state is.
 */
export const decideBatch = (folded: FoldedStream, commands: readonly QueuedCommand[], codec: EventCodec, limits: BatchLimits): Batch => {
  const batch = new OpenBatch(folded, codec, limits);
  const deferredFrom = commands.findIndex((queued) => !batch.add(queued));
  return batch.close(deferredFrom < 0 ? [] : commands.slice(deferredFrom));
};

/** A batch while commands are added. */
class OpenBatch {
  private readonly outcomes: { queued: QueuedCommand; outcome: CommandOutcome }[] = [];
  private readonly pending: PendingEvent[] = [];
  private readonly keys = new Map<string, BatchKeyUse>();
  private unapplied: readonly ExecutedEvent[] = [];
  private bytes = 0;

  constructor(
    private readonly folded: FoldedStream,
    private readonly codec: EventCodec,
    private readonly limits: BatchLimits,
  ) {}

  /** False: the batch has no room for the command. */
  add(queued: QueuedCommand): boolean {
    const { folded } = this;
    const { idempotency } = queued.context;
    const duplicate = idempotency && duplicateOf(folded, queued, this.keys.get(idempotency.key));
    if (duplicate) return this.settle(queued, duplicate);
    if (this.unapplied.length > 0) folded.applySpeculatively(this.unapplied);
    this.unapplied = [];
    const decided = decideCommand(folded, queued, this.codec, BigInt(this.pending.length));
    return 'error' in decided ? this.settle(queued, { kind: 'rejected', error: decided.error }) : this.accept(queued, decided);
  }

  close(deferred: readonly QueuedCommand[]): Batch {
    const { outcomes, pending, unapplied } = this;
    return { base: this.folded.revision, outcomes, pending, unapplied, deferred };
  }

  private accept(queued: QueuedCommand, decided: readonly PendingEvent[]): boolean {
    const { pending, limits } = this;
    const { idempotency } = queued.context;
    const bytes = this.bytes + decided.reduce((sum, { encoded }) => sum + encoded.bytes, 0);
    if (pending.length > 0 && (pending.length + decided.length > limits.events || bytes > limits.bytes)) return false;
    this.bytes = bytes;
    this.unapplied = decided.map(({ event }) => event);
    if (idempotency && decided.length > 0) this.keys.set(idempotency.key, { body: idempotency.body, events: this.unapplied });
    for (const one of decided) pending.push(one); // a command may have more events than a call can pass
    return this.settle(queued, { kind: 'accepted', events: this.unapplied });
  }

  private settle(queued: QueuedCommand, outcome: CommandOutcome): true {
    this.outcomes.push({ queued, outcome });
    return true;
  }
}

/** The use of an idempotency key by a command of this batch. */
type BatchKeyUse = Readonly<{ body: string; events: readonly ExecutedEvent[] }>;

/** The outcome of a command whose idempotency key was used before, in this batch or in the log; `undefined`: it is new. */
const duplicateOf = (folded: FoldedStream, { context }: QueuedCommand, inBatch: BatchKeyUse | undefined): CommandOutcome | undefined => {
  const { idempotency, time } = context;
  if (!idempotency) return undefined;
  const use = inBatch ?? folded.usedKey(idempotency.key, time);
  if (!use) return undefined;
  if (!isSameBody(use, idempotency.body)) return { kind: 'rejected', error: new IdempotencyKeyReused(folded.stream) };
  return 'events' in use ? { kind: 'duplicate-in-batch', events: use.events } : { kind: 'duplicate-in-log', use };
};

/**
 * The events of one command, `offset` places after the head; or the error if the decider rejects it or its events cannot be stored.
 *
 * Event ids are random even when there is an idempotency key: with ids made from the key, a store that recognises them would report success
 * to a node that has not read the first use yet, and that node would answer with its own version of events that were never written.
 */
const decideCommand = (
  folded: FoldedStream,
  queued: QueuedCommand,
  codec: EventCodec,
  offset: bigint,
): readonly PendingEvent[] | Readonly<{ error: unknown }> => {
  const { stream } = folded;
  const category = categoryOf(stream);
  let revision = (folded.revision ?? -1n) + offset;
  const { onExecuted: _, ...context } = queued.context;
  let metadata: EventMetadata | undefined; // one for all events of a version
  try {
    return queued.decider.decide(queued.command, folded.state).map((decided): PendingEvent => {
      const encoded = codec.encode(category, decided);
      revision += 1n;
      const { type, data, schemaVersion } = encoded;
      if (metadata?.schemaVersion !== schemaVersion) metadata = { ...context, schemaVersion };
      return { queued, encoded, event: { id: randomUUID(), stream, revision, type, data, metadata } };
    });
  } catch (error) {
    return { error };
  }
};

/**
 * The batch as the log takes it. Keys of subjects that do not exist yet are created side by side for the whole batch.
 * @returns `failed`: commands whose events cannot be sealed, for example because their subject has been forgotten. Then nothing may be written.
 */
export const sealBatch = async (
  { pending }: Batch,
  codec: EventCodec,
): Promise<Readonly<{ events: readonly NewEvent[]; failed: ReadonlyMap<QueuedCommand, unknown> }>> => {
  const events: NewEvent[] = [];
  const failed = new Map<QueuedCommand, unknown>();
  const sealings = pending.map(({ encoded }) => codec.seal(encoded));
  const sealed = await Promise.allSettled(sealings);
  pending.forEach(({ queued, encoded, event: { id, type, metadata } }, index) => {
    const outcome = sealed[index];
    if (outcome?.status !== 'fulfilled') failed.set(queued, outcome?.reason);
    else {
      const data = outcome.value;
      events.push({ id, type, data, metadata, dataText: data === encoded.data ? encoded.dataText : undefined });
    }
  });
  return { events, failed };
};
