import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position, RecordedEvent } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import { type LastShown, LONGEST_SEARCH_MS } from './newest-event.js';

/** `events`: number of events not yet applied; {@link MAX_COUNT} means that many or more. `seconds`: age of the oldest of them. */
export type Lag = Readonly<{ events: number; seconds: number }>;

/** How far documents are behind. `head`: position of the newest event that they have to show, or the end of the log where that is far away. */
export type Behind = Readonly<{ head: Position; lag: Lag }>;

/** `emptyUpTo`: position up to which nothing waits; `null` if something does. */
type Searched = Behind & Readonly<{ emptyUpTo: Position | null }>;

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
 * Documents of a read model whose events are of these categories, applied up to `position`, and by now up to `again`.
 * `shown`: the newest event of the categories is known from it if the log has none behind it; `null`: that is searched for.
 */
type Followed = Readonly<{
  name: string;
  categories: readonly string[];
  position: Position;
  shown: LastShown | null;
  again: () => Promise<Position>;
}>;

/** Position behind which the events are read that are waiting, or newer than those known to be shown. */
const lookFrom = ({ position, shown }: Followed): Position => (shown && shown.checkpoint < position ? shown.checkpoint : position);

const pageAfter = (events: EventStore, after: Position, categories: readonly string[], signal: AbortSignal): Promise<EventBatch> =>
  events.readAll({ after, categories, limit: MAX_COUNT, signal });

type FoundEvent = Pick<RecordedEvent, 'position' | 'recordedAt'>;

/** Events of the documents behind {@link lookFrom}, in as many pages as large ones need. `caughtUp`: the log has no more up to `searched`. */
const eventsOf = async (events: EventStore, documents: Followed, signal: AbortSignal, first: EventBatch | undefined) => {
  const { categories } = documents;
  const after = lookFrom(documents);
  const filter = parseFilter(categories);
  const found: FoundEvent[] = [];
  let [read, searched] = [first ?? (await pageAfter(events, after, categories, signal)), after];
  for (let page = 1; ; page++) {
    for (const { position, recordedAt, stream } of read.events)
      if (position > after && passes(filter, stream)) found.push({ position, recordedAt });
    if (read.position > searched) searched = read.position;
    const { caughtUp } = read;
    if (caughtUp || found.length >= MAX_COUNT || page === MOST_PAGES) return { found, searched, caughtUp };
    read = await pageAfter(events, searched, categories, signal);
  }
};

/**
 * How far documents are behind the log, with one read unless large events wait. Events that are applied while the log is read do not count: documents that
 * follow closely would always be behind.
 * @param now milliseconds since 1970-01-01 UTC
 * @param first events of a read that began at or before the documents' position, of these and other categories; default: one of their own
 * @throws EventStoreUnavailable, ReadStoreUnavailable
 */
export const behindHead = async (events: EventStore, documents: Followed, now: number, first?: EventBatch): Promise<Searched> => {
  const { categories, position, shown } = documents;
  const signal = AbortSignal.timeout(LONGEST_SEARCH_MS);
  const { found, searched, caughtUp } = await eventsOf(events, documents, signal, first);
  const waiting = found.filter((event) => event.position > position);
  if (!caughtUp) {
    const lag = { events: MAX_COUNT, seconds: secondsSince(waiting[0]?.recordedAt, now) };
    return { head: await events.end(), lag, emptyUpTo: null };
  }
  const applied = waiting.length > 0 ? await documents.again() : position;
  const left = waiting.filter((event) => event.position > applied);
  const lag = { events: Math.min(left.length, MAX_COUNT), seconds: secondsSince(left[0]?.recordedAt, now) };
  const head = found.at(-1)?.position ?? shown?.last ?? (await events.head(categories, signal));
  return { head, lag, emptyUpTo: waiting.length > 0 ? null : searched };
};

/** Documents that a caller has asked about, and the answer. */
type Asked = Readonly<{ documents: Followed; resolve: (behind: Behind) => void; reject: (error: unknown) => void }>;

/**
 * Looks how far documents are behind that were level with the log: one read of it for all that are asked about meanwhile, and one look at a time, however
 * often health checks ask. A look begins after the calls that it answers.
 */
export class LevelLook {
  private asked: Asked[] = [];
  private isLooking = false;
  /**
   * The next look at documents begins where the last one found that nothing waits for them: their checkpoint may stay far from the end of a log that goes
   * on with events of others.
   */
  private found = new Map<string, Readonly<{ position: Position; shown: LastShown }>>();

  /** @param now milliseconds since 1970-01-01 UTC */
  constructor(
    private readonly events: EventStore,
    private readonly now: () => number,
  ) {
    events.onInterruption(() => {
      this.found = new Map(); // another log may answer
    }, 'reads');
  }

  /** @throws EventStoreUnavailable */
  behind(documents: Followed): Promise<Behind> {
    return new Promise((resolve, reject) => {
      this.asked.push({ documents, resolve, reject });
      if (!this.isLooking) void this.look();
    });
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    for (let { asked } = this; asked.length > 0; asked = this.asked) {
      this.asked = [];
      await this.answer(asked);
    }
    this.isLooking = false;
  }

  private async answer(asked: readonly Asked[]): Promise<void> {
    const { events, found } = this;
    try {
      const wanted = asked.map((one) => ({ ...one, beyond: this.beyond(one.documents) }));
      const [after = 0n] = wanted.map(({ beyond }) => lookFrom(beyond)).sort((one, other) => (one < other ? -1 : 1));
      const categories = [...new Set(wanted.flatMap(({ documents }) => documents.categories))];
      const page = await pageAfter(events, after, categories, AbortSignal.timeout(LONGEST_SEARCH_MS));
      const answer = async ({ documents: { name, position }, beyond, resolve }: (typeof wanted)[number]): Promise<void> => {
        const { head, lag, emptyUpTo } = await behindHead(events, beyond, this.now(), page);
        if (emptyUpTo !== null) found.set(name, { position, shown: { checkpoint: emptyUpTo, last: head } });
        resolve({ head, lag });
      };
      await Promise.all(wanted.map((one) => answer(one).catch(one.reject)));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** The documents, as if they were applied up to where nothing was found to wait for them. */
  private beyond(documents: Followed): Followed {
    const known = this.found.get(documents.name);
    return known?.position === documents.position ? { ...documents, position: known.shown.checkpoint, shown: known.shown } : documents;
  }
}

/**
 * The same for documents that do not show the whole log. Events of the categories are not searched for: the rest of the log may have none, however long it is.
 * A rest of a few events is counted; a longer one is {@link MAX_COUNT}, as old as its first event.
 * @throws EventStoreUnavailable
 */
export const behindEnd = async (events: EventStore, categories: readonly string[], position: Position, now: number): Promise<Behind> => {
  const [head, rest] = await Promise.all([events.end(), events.readAll({ after: position, limit: REST_EVENTS })]);
  const filter = parseFilter(categories);
  const waiting = rest.caughtUp ? rest.events.filter(({ stream }) => passes(filter, stream)) : rest.events;
  return { head, lag: { events: rest.caughtUp ? waiting.length : MAX_COUNT, seconds: secondsSince(waiting[0]?.recordedAt, now) } };
};

/**
 * Looks how far one read model is behind that is not level with the log. Simultaneous looks are one, and what is far behind is looked at now and then:
 * however often health checks and consoles ask, the log is left to the node that catches up.
 */
export class LagLook {
  private latest: Promise<Behind> | undefined;

  /**
   * @param position of the documents: beyond the head that an earlier look has found, that look is outdated
   * @throws whatever `look` throws
   */
  async behind(position: Position, look: () => Promise<Behind>): Promise<Behind> {
    const latest = this.shared(look);
    const found = await latest;
    if (found.lag.events === 0 || found.head >= position) return found;
    this.forget(latest);
    return await this.shared(look);
  }

  private shared(look: () => Promise<Behind>): Promise<Behind> {
    if (this.latest) return this.latest;
    const looking = look();
    this.latest = looking;
    const forget = (): void => this.forget(looking);
    looking.then(({ lag }) => {
      if (lag.events < MAX_COUNT) forget();
      else setTimeout(forget, FAR_MS).unref();
    }, forget);
    return looking;
  }

  private forget(look: Promise<Behind>): void {
    if (this.latest === look) this.latest = undefined;
  }
}
