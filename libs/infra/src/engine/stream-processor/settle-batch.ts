import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, InvalidAppend } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Execution } from '#domain/shared/execution.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { appendBatch } from './append-batch.js';
import { type BatchLimits, type CommandBatch, decideBatch, placedAt, sealBatch } from './decide-batch.js';
import { ConcurrencyExhausted, type QueuedCommand } from './execution.js';
import type { FoldedStream } from './folded-stream.js';
import type { ObservedHead } from './last-event.js';
import { rivalPauseMs } from './rival-pause.js';
import type { KeyUse } from './used-keys.js';

/** Number of consecutive conflicts after which pauses grow no longer. */
const LONGEST_PAUSE_AT = 6;
/** Number of conflicts with other writers after which the commands of a batch are given up. */
const MAX_ATTEMPTS = 20;

export type SettleOptions = Readonly<{
  store: EventStore;
  codec: EventCodec;
  limits: BatchLimits;
  recoveryMilliseconds: number;
  /** Called when an append was acknowledged, conflicted with another writer, or had an unknown outcome at first. */
  count(happening: 'batches' | 'conflicts' | 'unknownOutcomes'): void;
}>;

/**
 * Decides the commands, writes their events in one append, and answers each command.
 * @returns the commands that did not fit and remain to be done. Never throws.
 */
export const settleBatch = async (
  folded: FoldedStream,
  commands: readonly QueuedCommand[],
  options: SettleOptions,
): Promise<readonly QueuedCommand[]> => {
  const settlement = new Settlement(folded, commands, options);
  try {
    await settlement.run();
  } catch (error) {
    folded.reset();
    await settlement.giveUp(error);
  }
  return settlement.deferred;
};

class Settlement {
  deferred: readonly QueuedCommand[] = [];
  /** Commands not yet answered. */
  private open: readonly QueuedCommand[];
  private conflicts = 0;

  constructor(
    private readonly folded: FoldedStream,
    commands: readonly QueuedCommand[],
    private readonly options: SettleOptions,
  ) {
    this.open = commands;
  }

  async run(): Promise<void> {
    const { folded } = this;
    let fresh = !folded.isLoaded && (await folded.load());
    while (this.open.length > 0) {
      const batch = await this.decide();
      const { events, failed } = await sealBatch(batch, this.options.codec);
      if (failed.size > 0) {
        await this.withdraw(failed);
      } else if (events.length > 0) {
        const { store, recoveryMilliseconds, count } = this.options;
        const request = { store, stream: folded.stream, events, base: batch.base, expects: folded.decider.expects };
        const outcome = await appendBatch(request, { recoveryMilliseconds, onUnknown: () => count('unknownOutcomes') });
        if (outcome.kind === 'written') return this.written(placedAt(batch, outcome.revision), outcome.position);
        await this.overtaken(outcome.actual);
        fresh = true;
      } else {
        // No append confirms the state, and another node may have written: a record that it has just created must not be "not found".
        if (fresh || folded.decider.expects === 'any' || !(await folded.catchUp())) return this.answer(batch, folded.position);
        fresh = true;
      }
    }
  }

  /** Answers open commands with an error. After a malformed append each command is tried alone, so that only the cause gets the error. */
  async giveUp(error: unknown): Promise<void> {
    if (!(error instanceof InvalidAppend) || this.open.length < 2) {
      for (const queued of this.open) queued.reject(error);
      return;
    }
    for (const queued of this.open) await settleBatch(this.folded, [queued], this.options);
  }

  private async decide(): Promise<CommandBatch> {
    const keyed = this.open.flatMap(({ context: { idempotency, time } }) => (idempotency ? [{ key: idempotency.key, time }] : []));
    const [earliest] = keyed.map(({ time }) => time).sort();
    if (earliest) {
      const keys = keyed.map(({ key }) => key);
      await this.folded.loadKeys(keys, earliest);
    }
    const batch = await decideBatch(this.folded, this.open, this.options.codec, this.options.limits);
    this.deferred = [...batch.deferred, ...this.deferred];
    this.open = batch.outcomes.map(({ queued }) => queued);
    return batch;
  }

  /** Rejects commands whose events cannot be sealed, whatever the state, and decides the others again. */
  private async withdraw(failed: ReadonlyMap<QueuedCommand, unknown>): Promise<void> {
    for (const [queued, error] of failed) queued.reject(error);
    this.open = this.open.filter((queued) => !failed.has(queued));
    this.folded.discardSpeculation();
    await this.folded.load();
  }

  private async overtaken(actual: ObservedHead): Promise<void> {
    this.options.count('conflicts');
    this.conflicts += 1;
    if (this.conflicts === MAX_ATTEMPTS) throw new ConcurrencyExhausted(this.folded.stream, MAX_ATTEMPTS);
    await sleep(rivalPauseMs(Math.min(this.conflicts, LONGEST_PAUSE_AT)));
    await this.folded.catchUpTo(actual);
    await this.folded.load();
  }

  private written(batch: CommandBatch, position: Position): Promise<void> {
    this.options.count('batches');
    try {
      this.folded.confirm(
        batch.pending.map(({ event }) => event),
        batch.unapplied,
        position,
        batch.pending.reduce((sum, { encoded }) => sum + encoded.bytes, 0),
      );
    } catch {
      // The events are in the log, so their senders succeeded. The next command reads them again.
      this.folded.reset();
    }
    return this.answer(batch, position);
  }

  private async answer({ outcomes, pending }: CommandBatch, position: Position): Promise<void> {
    this.open = [];
    const last = pending.at(-1)?.event.revision ?? 0n;
    for (const { queued, outcome } of outcomes) {
      const events = 'events' in outcome ? outcome.events : [];
      const trailing = Number(last - (events.at(-1)?.revision ?? last));
      const place = { position, ...(trailing > 0 && { trailing }) };
      if (outcome.kind === 'accepted' && events.length === 0) this.folded.rememberUnchanged(queued.context);
      if ('events' in outcome) queued.resolve({ events, ...place, repeated: outcome.kind !== 'accepted' });
      else if (outcome.kind === 'rejected') queued.reject(outcome.error);
      else await this.firstExecution(outcome.use).then(queued.resolve, queued.reject);
    }
  }

  /** Result of the first use of an idempotency key, from the log. */
  private async firstExecution({ first, count }: KeyUse): Promise<Execution> {
    const { store, codec } = this.options;
    if (count === 0) return { events: [], position: this.folded.position, repeated: true, next: first };
    const found = await store.readStream(this.folded.stream, { from: first, limit: count });
    const events = await codec.decodeAll(found.filter(({ revision }) => revision < first + BigInt(count)));
    return { events, position: events.at(-1)?.position ?? this.folded.position, repeated: true };
  }
}
