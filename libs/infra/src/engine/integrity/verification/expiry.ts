import { mayExpire } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { unlessDamaged } from './damage.js';

/** Maximum number of streams whose first readable revision is cached. */
const REMEMBERED = 1_000;

/** Distinguishes expired events from missing ones. */
export class Expiry {
  private readonly first = new Map<string, number>();

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Returns whether a missing event may have expired: all remaining events of its stream come after it. @throws EventStoreUnavailable */
  async has(stream: string, revision: number): Promise<boolean> {
    if (!mayExpire(stream)) return false;
    // Expired events stay expired, but more may have expired since.
    if (revision < (this.first.get(stream) ?? 0)) return true;
    return revision < (await this.look(stream));
  }

  /**
   * Returns whether an event has expired although the log still returns it: EventStoreDB keeps such events until a scavenge. Reads each
   * stream once, so later expiries may not count yet. @throws EventStoreUnavailable
   */
  async hides(stream: string, revision: number): Promise<boolean> {
    if (!mayExpire(stream)) return false;
    return revision < (this.first.get(stream) ?? (await this.look(stream)));
  }

  private async look(stream: string): Promise<number> {
    if (this.first.size >= REMEMBERED) this.first.clear();
    const found = await unlessDamaged(() => this.store.readStream(stream, { from: 0n, limit: 1 }), null);
    const first = found ? Number(found[0]?.revision ?? Number.POSITIVE_INFINITY) : 0;
    this.first.set(stream, first);
    return first;
  }
}
