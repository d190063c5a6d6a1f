import type { EventStore } from '#domain/shared/event-store.js';
import { parseFilter, passesCategory } from '#infra/stores/event-store/category-filter.js';
import type { AuditIndex } from './audit-index.js';
import type { ExpiredEvents } from './expired-events.js';

/** How long a count waits for what was appended before it: milliseconds. */
const WAIT_MS = 500;

/** Counts the events of some categories that are still in the log. */
export class CountedEvents {
  constructor(
    private readonly index: AuditIndex,
    private readonly expired: ExpiredEvents,
    private readonly events: Pick<EventStore, 'head'>,
  ) {}

  /** `null`: the index is behind the log, or does not follow it, or the log does not answer. */
  count = async (categories: readonly string[]): Promise<number | null> => {
    try {
      if (this.index.checkpoint().size === 0 || !(await this.index.reached(await this.events.head(categories), WAIT_MS))) return null;
      const filter = parseFilter(categories);
      const tallies = this.index.categories().filter(({ name }) => !filter || passesCategory(filter, name));
      const gone = await this.expired.count();
      return tallies.reduce((sum, { name, events }) => sum + events - (gone.get(name) ?? 0), 0);
    } catch {
      return null; // it is a figure beside long work, which finds out itself what is wrong with the log
    }
  };
}
