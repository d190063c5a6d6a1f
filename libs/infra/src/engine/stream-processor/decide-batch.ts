import { randomUUID } from 'node:crypto';
import { nextEventId } from '#domain/shared/event-ids.js';
import { categoryOf, type EventMetadata, type JsonObject, type NewEvent, type Revision } from '#domain/shared/events.js';
import type { CommandContext, ExecutedEvent } from '#domain/shared/execution.js';
import { inSlices, type Pace, type Steps, TimeSlice } from '#domain/shared/time-slice.js';
import type { EncodedEvent, EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { IdempotencyKeyReused, NOT_REPEATED, type QueuedCommand } from './execution.js';
import type { FoldedStream } from './folded-stream.js';
import { isSameBody } from './snapshots/key-segments.js';
import type { KeyUse } from './used-keys.js';

/** Metadata and type of an event, which a store may count as well: bytes in most events. */
const BESIDE_DATA_BYTES = 500;

/** Bounds of one append. Only a single command may exceed them. */
export type BatchLimits = Readonly<{ events: number; bytes: number }>;

/** Outcome of a command, provided that the batch is written. */
type CommandOutcome =
  | Readonly<{ kind: 'accepted'; events: readonly ExecutedEvent[] }>
  | Readonly<{ kind: 'rejected'; error: unknown }>
  /** An earlier command of the same batch had the same idempotency key. */
  | Readonly<{ kind: 'duplicate-in-batch'; events: readonly ExecutedEvent[] }>
  /** A command already in the log had the same idempotency key. */
  | Readonly<{ kind: 'duplicate-in-log'; use: KeyUse }>;

/** An event of a command, not yet in the log. */
type PendingEvent = Readonly<{ queued: QueuedCommand; encoded: EncodedEvent; event: ExecutedEvent }>;

/** Commands decided one after another, to be written by one append. */
export type CommandBatch = Readonly<{
  /** The head revision on which they were decided; `null` if the stream has no events. */
  base: Revision | null;
  outcomes: readonly Readonly<{ queued: QueuedCommand; outcome: CommandOutcome }>[];
  pending: readonly PendingEvent[];
  /** Events at the end that the state does not include yet: no later command needed them, so a refused append leaves the state valid. */
  unapplied: readonly ExecutedEvent[];
  /** Remaining commands, because the append would grow too large. */
  deferred: readonly QueuedCommand[];
}>;

/**
 * Decides the commands in order, each on the state after its predecessors. A rejected command leaves the state unchanged. No command is
 * answered yet: all outcomes, including rejections, are valid only if the append finds the stream at the state's revision. Long work is
 * done in slices, because a command may have thousands of events.
 */
export const decideBatch = (
  folded: FoldedStream,
  commands: readonly QueuedCommand[],
  codec: EventCodec,
  limits: BatchLimits,
): Promise<CommandBatch> => inSlices((pace) => new OpenBatch(folded, codec, limits, pace).decide(commands));

/** The batch with the revisions that its events have, the last one `revision`: other nodes may have appended before events that expect nothing. */
export const placedAt = (batch: CommandBatch, revision: Revision): CommandBatch => {
  const shift = revision - (batch.base ?? -1n) - BigInt(batch.pending.length);
  if (shift === 0n) return batch;
  const placed = (event: ExecutedEvent): ExecutedEvent => ({ ...event, revision: event.revision + shift });
  return {
    ...batch,
    pending: batch.pending.map((one) => ({ ...one, event: placed(one.event) })),
    unapplied: batch.unapplied.map(placed),
    outcomes: batch.outcomes.map((one) =>
      'events' in one.outcome ? { ...one, outcome: { ...one.outcome, events: one.outcome.events.map(placed) } } : one,
    ),
  };
};

/** A batch to which commands are being added. */
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
    private readonly pace: Pace,
  ) {}

  /** Takes commands as long as there is space for them. */
  *decide(commands: readonly QueuedCommand[]): Steps<CommandBatch> {
    for (const [index, queued] of commands.entries()) if (!(yield* this.add(queued))) return this.close(commands.slice(index));
    return this.close([]);
  }

  /** Returns false if the batch has no space for the command. */
  private *add(queued: QueuedCommand): Steps<boolean> {
    const { folded } = this;
    const { idempotency } = queued.context;
    const duplicate = idempotency && duplicateOf(folded, queued, this.keys.get(idempotency.key));
    if (duplicate) return this.settle(queued, duplicate);
    if (queued.onlyRepeated) return this.settle(queued, { kind: 'rejected', error: NOT_REPEATED });
    if (this.unapplied.length > 0) folded.applySpeculatively(this.unapplied);
    this.unapplied = [];
    const decided = yield* decideCommand(folded, queued, this.codec, BigInt(this.pending.length), this.pace);
    return 'error' in decided ? this.settle(queued, { kind: 'rejected', error: decided.error }) : this.accept(queued, decided);
  }

  private close(deferred: readonly QueuedCommand[]): CommandBatch {
    const { outcomes, pending, unapplied } = this;
    return { base: this.folded.revision, outcomes, pending, unapplied, deferred };
  }

  private accept(queued: QueuedCommand, decided: readonly PendingEvent[]): boolean {
    const { pending, limits } = this;
    const { idempotency } = queued.context;
    const bytes = this.bytes + decided.reduce((sum, { encoded }) => sum + encoded.bytes + BESIDE_DATA_BYTES, 0);
    if (pending.length > 0 && (pending.length + decided.length > limits.events || bytes > limits.bytes)) return false;
    this.bytes = bytes;
    this.unapplied = decided.map(({ event }) => event);
    if (idempotency && (decided.length > 0 || this.folded.decider.keepsKeys))
      this.keys.set(idempotency.key, { body: idempotency.body, events: this.unapplied });
    for (const one of decided) pending.push(one); // a command may have more events than a call can pass as arguments
    return this.settle(queued, { kind: 'accepted', events: this.unapplied });
  }

  private settle(queued: QueuedCommand, outcome: CommandOutcome): true {
    this.outcomes.push({ queued, outcome });
    return true;
  }
}

/** The use of an idempotency key by a command of this batch. */
type BatchKeyUse = Readonly<{ body: string; events: readonly ExecutedEvent[] }>;

/** Outcome of a command whose idempotency key was used before, in this batch or in the log; `undefined` if it is new. */
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
 * The id of the first event is random even with an idempotency key. If ids were derived from the key, a store that recognises them would report success to
 * a node that has not read the first use yet, and that node would answer with its own version of events that were never written.
 */
function* decideCommand(
  folded: FoldedStream,
  queued: QueuedCommand,
  codec: EventCodec,
  offset: bigint,
  pace: Pace,
): Steps<readonly PendingEvent[] | Readonly<{ error: unknown }>> {
  const { stream } = folded;
  const category = categoryOf(stream);
  let revision = (folded.revision ?? -1n) + offset;
  let metadata: EventMetadata | undefined; // shared by all events of a version
  let id: string | undefined;
  const pending: PendingEvent[] = [];
  try {
    for (const decided of queued.decider.decide(queued.command, folded.state)) {
      const encoded = codec.encode(category, decided);
      revision += 1n;
      const { type, data, schemaVersion } = encoded;
      if (metadata?.schemaVersion !== schemaVersion) metadata = metadataOf(queued.context, schemaVersion);
      id = id === undefined ? randomUUID() : nextEventId(id);
      pending.push({ queued, encoded, event: { id, stream, revision, type, data, metadata } });
      if (pace.isOver) yield;
    }
    return pending;
  } catch (error) {
    return { error };
  }
}

const metadataOf = ({ onExecuted: _, ...context }: CommandContext, schemaVersion: number): EventMetadata =>
  Object.assign(context, { schemaVersion }); // takes a quarter of the time of another spread

/** The stored form of an event's data, or why it cannot be sealed. */
type Sealing = Readonly<{ data: JsonObject } | { error: unknown }>;

const sealingOf = (sealed: JsonObject | Promise<JsonObject>): Sealing | Promise<Sealing> =>
  sealed instanceof Promise
    ? sealed.then(
        (data) => ({ data }),
        (error: unknown) => ({ error }),
      )
    : { data: sealed };

/**
 * The batch in the form that the log takes. Missing keys of subjects are created concurrently for the whole batch.
 * @returns `failed`: commands whose events cannot be sealed, for example because their subject was erased. Then nothing may be written.
 */
export const sealBatch = async (
  { pending }: CommandBatch,
  codec: EventCodec,
): Promise<Readonly<{ events: readonly NewEvent[]; failed: ReadonlyMap<QueuedCommand, unknown> }>> => {
  const events: NewEvent[] = [];
  const failed = new Map<QueuedCommand, unknown>();
  const sealings: (Sealing | Promise<Sealing>)[] = [];
  const slice = new TimeSlice();
  for (const { encoded } of pending) {
    sealings.push(sealingOf(codec.seal(encoded)));
    if (slice.isOver) await slice.next();
  }
  for (const [index, { queued, encoded, event }] of pending.entries()) {
    const { id, type, metadata } = event;
    const sealing = sealings[index];
    const sealed = sealing instanceof Promise ? await sealing : sealing;
    if (!sealed || 'error' in sealed) failed.set(queued, sealed?.error);
    else events.push({ id, type, data: sealed.data, metadata, dataText: sealed.data === encoded.data ? encoded.dataText : undefined });
    if (slice.isOver) await slice.next();
  }
  return { events, failed };
};
