import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, InvalidAppend } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { EventCodec } from '#infra/event-codec/event-codec.js';
import { appendBatch } from './append-batch.js';
import { backOff } from './back-off.js';
import { type Batch, type BatchLimits, decideBatch, sealBatch } from './decide-batch.js';
import { ConcurrencyExhausted, type Execution, type Member } from './execution.js';
import type { FoldedStream } from './folded-stream.js';
import type { KeyUse } from './used-keys.js';

/** How often a batch may be overtaken by other writers before its commands are given up. */
const MAX_ATTEMPTS = 20;

export type SettleOptions = Readonly<{
  store: EventStore;
  codec: EventCodec;
  limits: BatchLimits;
  recoveryMilliseconds: number;
  /** Told when an append was acknowledged, was overtaken by another writer, or had an unknown outcome at first. */
  count(happening: 'batches' | 'conflicts' | 'unknownOutcomes'): void;
}>;

/**
 * Decides the commands, writes their events in one append, and answers every one of them; those returned did not fit and are still to do.
 * Never throws.
 */
export const settleBatch = async (folded: FoldedStream, members: readonly Member[], options: SettleOptions): Promise<readonly Member[]> => {
  const work = new Settlement(folded, members, options);
  try {
    await work.run();
  } catch (error) {
    folded.reset();
    await work.giveUp(error);
  }
  return work.deferred;
};

class Settlement {
  deferred: readonly Member[] = [];
  private open: readonly Member[];
  private conflicts = 0;

  constructor(
    private readonly folded: FoldedStream,
    members: readonly Member[],
    private readonly options: SettleOptions,
  ) {
    this.open = members;
  }

  async run(): Promise<void> {
    const { folded } = this;
    let fresh = await folded.load();
    while (this.open.length > 0) {
      const batch = await this.decide();
      const { events, failed } = await sealBatch(batch, this.options.codec);
      if (failed.size > 0) {
        await this.withdraw(failed);
      } else if (events.length > 0) {
        const outcome = await appendBatch(this.options.store, folded.stream, events, batch.base, {
          recoveryMilliseconds: this.options.recoveryMilliseconds,
          onUnknown: () => this.options.count('unknownOutcomes'),
        });
        if (outcome.kind === 'written') return this.written(batch, outcome.position);
        await this.overtaken(outcome.actual);
        fresh = true;
      } else {
        // No append vouches for the state, and another node may have written: "not found" must not be said of what that node has just created.
        if (fresh || !(await folded.catchUp())) return this.answer(batch, folded.position);
        fresh = true;
      }
    }
  }

  /** Answers what is still open with an error; after a malformed append each command is tried alone, so that only the culprit gets it. */
  async giveUp(error: unknown): Promise<void> {
    if (!(error instanceof InvalidAppend) || this.open.length < 2) {
      for (const member of this.open) member.reject(error);
      return;
    }
    for (const member of this.open) await settleBatch(this.folded, [member], this.options);
  }

  private async decide(): Promise<Batch> {
    const [earliest] = this.open.flatMap(({ context }) => (context.idempotency ? [context.time] : [])).sort();
    if (earliest) await this.folded.loadKeys(earliest);
    const batch = decideBatch(this.folded, this.open, this.options.codec, this.options.limits);
    this.deferred = [...batch.deferred, ...this.deferred];
    this.open = batch.verdicts.map(({ member }) => member);
    return batch;
  }

  /** Commands whose events cannot be sealed are out, whatever the state; the others are decided again without them. */
  private async withdraw(failed: ReadonlyMap<Member, unknown>): Promise<void> {
    for (const [member, error] of failed) member.reject(error);
    this.open = this.open.filter((member) => !failed.has(member));
    this.folded.discardSpeculation();
    await this.folded.load();
  }

  private async overtaken(actual: Parameters<FoldedStream['yieldTo']>[0]): Promise<void> {
    this.options.count('conflicts');
    this.conflicts += 1;
    if (this.conflicts === MAX_ATTEMPTS) throw new ConcurrencyExhausted(this.folded.stream, MAX_ATTEMPTS);
    await sleep(backOff(Math.min(this.conflicts, 6)));
    await this.folded.yieldTo(actual);
    await this.folded.load();
  }

  private async written(batch: Batch, position: Position): Promise<void> {
    this.options.count('batches');
    try {
      this.folded.confirm(
        batch.drafts.map(({ event }) => event),
        batch.untried,
        position,
      );
    } catch {
      // The events are in the log: whoever sent them succeeded. That they cannot be folded is told to the next command, which reads them.
      this.folded.reset();
    }
    await this.answer(batch, position);
  }

  private async answer({ verdicts }: Batch, position: Position): Promise<void> {
    this.open = [];
    for (const { member, verdict } of verdicts) {
      if (verdict.kind === 'accepted') member.resolve({ events: verdict.events, position, repeated: false });
      else if (verdict.kind === 'twin') member.resolve({ events: verdict.events, position, repeated: true });
      else if (verdict.kind === 'rejected') member.reject(verdict.error);
      else await this.first(verdict.use).then(member.resolve, member.reject);
    }
  }

  /** What the first use of an idempotency key led to, from the log. */
  private async first({ first, count }: KeyUse): Promise<Execution> {
    const { store, codec } = this.options;
    const found = await store.readStream(this.folded.stream, { from: first, limit: count });
    const events = await codec.decodeAll(found.filter(({ revision }) => revision < first + BigInt(count)));
    return { events, position: events.at(-1)?.position ?? this.folded.position, repeated: true };
  }
}
