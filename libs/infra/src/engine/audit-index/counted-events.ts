import type { EventStore } from '#domain/shared/event-store.js';
import { parseFilter, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { AuditIndex } from './audit-index.js';
import type { ExpiredEvents } from './expired-events.js';
import type { CategoryTally } from './tallies.js';

/** `expired`: number of its events that have left the log. */
export type CountedCategory = CategoryTally & Readonly<{ expired: number }>;

/** Time in milliseconds that a count waits for earlier appends. */
const WAIT_MS = 500;

/** Counts events up to the progress of the index. */
export class CountedEvents {
  constructor(
    private readonly index: AuditIndex,
    private readonly expired: ExpiredEvents,
    private readonly events: Pick<EventStore, 'head'>,
  ) {}

  /** @throws EventStoreUnavailable */
  async categories(): Promise<readonly CountedCategory[]> {
    const gone = await this.expired.count();
    return this.index.tallies.categories().map((tally) => ({ ...tally, expired: gone.get(tally.name) ?? 0 }));
  }

  /** Number of events still in the log. @param filter default: all categories. @throws EventStoreUnavailable */
  async kept(filter?: readonly string[]): Promise<number> {
    const wanted = parseFilter(filter);
    const categories = (await this.categories()).filter(({ name }) => !wanted || passesCategory(wanted, name));
    return categories.reduce((sum, { events, expired }) => sum + events - expired, 0);
  }

  /** Like `kept`, including all earlier appends. `null`: the index is behind the log, does not follow it, or the log does not answer. */
  count = async (categories: readonly string[], signal?: AbortSignal): Promise<number | null> => {
    try {
      if (this.index.checkpoint().size === 0 || !(await this.index.reached(await this.events.head(categories, signal), WAIT_MS)))
        return null;
      return await this.kept(categories);
    } catch {
      return null; // only a figure beside long work, which detects failures of the log itself
    }
  };
}
