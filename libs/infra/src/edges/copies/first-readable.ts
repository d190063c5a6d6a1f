import { LRUCache } from 'lru-cache';
import { mayExpire } from '#domain/integrity/expiring.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent } from '#domain/shared/events.js';
import { isKeyStream } from './key-streams.js';

const MAX_STREAMS = 20_000;
const CONCURRENT_READS = 32;

/**
 * Oldest readable revision of truncated streams. Reads of the whole log may show more until it leaves the disk: destroyed keys, and expired
 * messages.
 */
export class FirstReadable {
  private readonly known = new LRUCache<string, number>({ max: MAX_STREAMS });

  constructor(private readonly events: Pick<EventStore, 'readStream'>) {}

  /** Looks up the streams of these events, many at a time, for later calls of `isHidden`. */
  async lookUp(events: readonly RecordedEvent[]): Promise<void> {
    const streams = new Set(events.map(({ stream }) => stream).filter((stream) => mayExpire(stream) || isKeyStream(stream)));
    const missing = [...streams].filter((stream) => this.known.get(stream) === undefined);
    for (let start = 0; start < missing.length; start += CONCURRENT_READS)
      await Promise.all(missing.slice(start, start + CONCURRENT_READS).map((stream) => this.read(stream)));
  }

  isHidden({ stream, revision }: RecordedEvent): boolean {
    return Number(revision) < (this.known.get(stream) ?? 0);
  }

  private async read(stream: string): Promise<void> {
    const [first] = await this.events.readStream(stream, { limit: 1 });
    this.known.set(stream, first ? Number(first.revision) : Number.MAX_SAFE_INTEGER);
  }
}
