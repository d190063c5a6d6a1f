import type { EventMetadata, Revision } from '#domain/shared/events.js';

/** Time for which an idempotency key is remembered. */
export const REMEMBERED_MS = 48 * 3_600_000;

/** Maximum keys remembered per stream, at about 300 bytes each. Beyond it the oldest are dropped early, first those without events. */
const MAX_KEYS = 200_000;

/**
 * Place of the events written by a command with this key, and the hash of its request body. `count`: 0 if the command recorded none; such
 * uses are only in memory, and `first` is the place of the next event of the stream. `time`: milliseconds since 1970-01-01 UTC.
 */
export type KeyUse = Readonly<{ body: string; first: Revision; count: number; time: number }>;

export type KeyedEvent = Readonly<{ revision: Revision; metadata: EventMetadata }>;

/** Idempotency keys of one stream. */
export class UsedKeys {
  /** Those with events, oldest first. */
  private readonly uses = new Map<string, KeyUse>();
  /** Those without events, oldest first. */
  private readonly unchanged = new Map<string, KeyUse>();

  get size(): number {
    return this.uses.size + this.unchanged.size;
  }

  /** Returns whether some with events may have been dropped early. */
  get isFull(): boolean {
    return this.uses.size >= MAX_KEYS;
  }

  has(key: string): boolean {
    return this.uses.has(key) || this.unchanged.has(key);
  }

  /** Those with events, oldest first. */
  entries(): Iterable<readonly [string, KeyUse]> {
    return this.uses;
  }

  /** The use of this key in the 48 hours before `time` (UTC, as in event metadata). */
  find(key: string, time: string): KeyUse | undefined {
    const use = this.uses.get(key) ?? this.unchanged.get(key);
    return use && Date.parse(time) - use.time <= REMEMBERED_MS ? use : undefined;
  }

  /** Must be called in the order of revisions, once per event. */
  remember({ revision, metadata }: KeyedEvent): void {
    if (!metadata.idempotency) return;
    const { key, body } = metadata.idempotency;
    const time = Date.parse(metadata.time);
    const known = this.uses.get(key);
    const continues = known?.time === time && known.first + BigInt(known.count) === revision;
    this.uses.delete(key);
    this.unchanged.delete(key);
    this.uses.set(key, continues ? { ...known, count: known.count + 1 } : { body, first: revision, count: 1, time });
    this.forget(time);
  }

  /** Adds a use that no event shows here. */
  learn(key: string, use: KeyUse): void {
    this.uses.delete(key);
    this.unchanged.delete(key);
    (use.count > 0 ? this.uses : this.unchanged).set(key, use);
    this.forget(use.time);
  }

  /** Drops the uses whose last event is at or before `revision`. */
  dropUpTo(revision: Revision): void {
    for (const [key, { first, count }] of this.uses) if (first + BigInt(count) - 1n <= revision) this.uses.delete(key);
  }

  /** Adds these uses to earlier ones and returns them. The two parts of a command with events in both are joined. */
  after(earlier: UsedKeys): UsedKeys {
    if (earlier.size === 0) return this;
    const all = earlier.uses;
    for (const [key, use] of this.uses) {
      const before = all.get(key);
      const continues = before?.time === use.time && before.first + BigInt(before.count) === use.first;
      all.delete(key);
      all.set(key, continues ? { ...before, count: before.count + use.count } : use);
    }
    for (const [key, use] of this.unchanged) earlier.unchanged.set(key, use);
    return earlier;
  }

  private forget(now: number): void {
    for (const uses of [this.unchanged, this.uses])
      for (const [key, { time }] of uses) {
        if (now - time <= REMEMBERED_MS && this.size <= MAX_KEYS) break;
        uses.delete(key);
      }
  }
}
