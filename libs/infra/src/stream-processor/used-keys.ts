import type { EventMetadata, Revision } from '#domain/shared/events.js';

/** How long an idempotency key is remembered. */
export const REMEMBERED_MS = 48 * 3_600_000;

/** Most keys remembered per stream, at about 300 bytes each. Beyond it the oldest are forgotten early. */
const MAX_KEYS = 200_000;

/** The place of the events that a command with this key wrote, and the hash of its request body. `time`: milliseconds since 1970-01-01 UTC. */
export type KeyUse = Readonly<{ body: string; first: Revision; count: number; time: number }>;

type KeyedEvent = Readonly<{ revision: Revision; metadata: EventMetadata }>;

/** The idempotency keys that the events of one stream carry. */
export class UsedKeys {
  /** Oldest first. */
  private readonly uses = new Map<string, KeyUse>();

  get size(): number {
    return this.uses.size;
  }

  /** The use of this key in the 48 hours before `time` (UTC, as in event metadata). */
  find(key: string, time: string): KeyUse | undefined {
    const use = this.uses.get(key);
    return use && Date.parse(time) - use.time <= REMEMBERED_MS ? use : undefined;
  }

  /** In the order of revisions, each event once. */
  remember({ revision, metadata }: KeyedEvent): void {
    if (!metadata.idempotency) return;
    const { key, body } = metadata.idempotency;
    const time = Date.parse(metadata.time);
    const known = this.uses.get(key);
    const continues = known?.time === time && known.first + BigInt(known.count) === revision;
    this.uses.delete(key);
    this.uses.set(key, continues ? { ...known, count: known.count + 1 } : { body, first: revision, count: 1, time });
    this.forget(time);
  }

  private forget(now: number): void {
    for (const [key, { time }] of this.uses) {
      if (now - time <= REMEMBERED_MS && this.uses.size <= MAX_KEYS) return;
      this.uses.delete(key);
    }
  }
}
