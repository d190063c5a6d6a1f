import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import type { Projection } from '#projections/shared/projection.js';

/** Returns whether the projection reads events that leave the log after some time, so that its earlier state cannot be rebuilt. */
export const readsExpiring = ({ categories }: Pick<Projection, 'categories'>, expiring: readonly string[]): boolean =>
  expiring.some((category) => passes(parseFilter(categories), category));

/**
 * Determines the position from which a build can show the past. Counters of messages, for example, are complete only from where all counted
 * events are still in the log.
 */
export class LostEvents {
  private readonly seen = new Set<string>();

  /** @param isContinued whether an earlier process has applied a part: it may have read the starts of streams */
  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly expiring: readonly string[],
    private readonly isContinued: boolean,
  ) {}

  /** Position of the last of these events whose stream had lost earlier ones; `null` if none had. @throws EventStoreUnavailable */
  async last(events: readonly RecordedEvent[]): Promise<Position | null> {
    let last: Position | null = null;
    for (const { stream, revision, position } of events) {
      if (this.seen.has(stream) || !this.expiring.includes(categoryOf(stream))) continue;
      this.seen.add(stream);
      if (revision > 0n && (!this.isContinued || (await this.hasLost(stream)))) last = position;
    }
    return last;
  }

  private async hasLost(stream: string): Promise<boolean> {
    const [first] = await this.events.readStream(stream, { from: 0n, limit: 1 });
    return first === undefined || first.revision > 0n;
  }
}
