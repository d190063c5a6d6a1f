import type { EventStore } from '#domain/shared/event-store.js';
import { categoryOf, type Position } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import { type LastShown, LONGEST_SEARCH_MS } from './newest-event.js';

/** `events`: number of events not yet applied; {@link MAX_COUNT} means that many or more. `seconds`: age of the oldest of them. */
export type Lag = Readonly<{ events: number; seconds: number }>;

/** How far documents are behind. `head`: position of the newest event that they have to show, or the end of the log where that is far away. */
export type Behind = Readonly<{ head: Position; lag: Lag }>;

/** Counting further would cost more than the answer is worth. */
const MAX_COUNT = 1_000;
/** Large events make shorter pages; so many are far more than a node that follows leaves behind. */
const MOST_PAGES = 8;
/** Events that are read of the rest of the log, whatever their categories. */
const REST_EVENTS = 20;
/** Time for which documents that are far behind are not looked at again. */
const FAR_MS = 5_000;

const secondsSince = (recordedAt: number | undefined, now: number): number => Math.max(0, (now - (recordedAt ?? now)) / 1_000);

/**
 * How far `position` is behind the log in the given categories, with one read unless large events wait.
 * @param shown of the documents, from which the newest event of the categories is known if the log has none behind it; `null`: that is searched for
 * @param now milliseconds since 1970-01-01 UTC
 * @throws EventStoreUnavailable
 */
export const behindHead = async (
  events: EventStore,
  categories: readonly string[],
  position: Position,
  shown: LastShown | null,
  now: number,
): Promise<Behind> => {
  const signal = AbortSignal.timeout(LONGEST_SEARCH_MS);
  const after = shown && shown.checkpoint < position ? shown.checkpoint : position;
  let [waiting, oldest, head] = [0, undefined as number | undefined, shown?.last];
  for (let [page, from] = [1, after]; ; page++) {
    const { events: found, caughtUp, position: reached } = await events.readAll({ after: from, categories, limit: MAX_COUNT, signal });
    const fresh = found.filter((event) => event.position > position);
    waiting += fresh.length;
    oldest ??= fresh[0]?.recordedAt;
    head = found.at(-1)?.position ?? head;
    const seconds = secondsSince(oldest, now);
    if (caughtUp) return { head: head ?? (await events.head(categories)), lag: { events: Math.min(waiting, MAX_COUNT), seconds } };
    if (waiting >= MAX_COUNT || page === MOST_PAGES) return { head: await events.end(), lag: { events: MAX_COUNT, seconds } };
    from = reached;
  }
};

/**
 * The same for documents that do not show the whole log. Events of the categories are not searched for: the rest of the log may have none, however long it is.
 * A rest of a few events is counted; a longer one is {@link MAX_COUNT}, as old as its first event.
 * @throws EventStoreUnavailable
 */
export const behindEnd = async (events: EventStore, categories: readonly string[], position: Position, now: number): Promise<Behind> => {
  const [head, rest] = await Promise.all([events.end(), events.readAll({ after: position, limit: REST_EVENTS })]);
  const filter = parseFilter(categories);
  const waiting = rest.caughtUp ? rest.events.filter(({ stream }) => passes(filter, categoryOf(stream))) : rest.events;
  return { head, lag: { events: rest.caughtUp ? waiting.length : MAX_COUNT, seconds: secondsSince(waiting[0]?.recordedAt, now) } };
};

/**
 * Looks how far one read model is behind. While it is not level with the log, simultaneous looks are one, and what is far behind is looked at now and
 * then: however often health checks and consoles ask, the log is left to the node that catches up.
 */
export class LagLook {
  private latest: Promise<Behind> | undefined;

  /** @throws whatever `look` throws */
  behind(isLevel: boolean, look: () => Promise<Behind>): Promise<Behind> {
    if (isLevel) return look();
    if (this.latest) return this.latest;
    const looking = look();
    this.latest = looking;
    const forget = (): void => {
      this.latest = undefined;
    };
    looking.then(({ lag }) => {
      if (lag.events < MAX_COUNT) forget();
      else setTimeout(forget, FAR_MS).unref();
    }, forget);
    return looking;
  }
}
