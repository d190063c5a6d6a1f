import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { parseFilter, passes } from '#infra/stores/event-store/category-filter.js';
import { type LastShown, LONGEST_SEARCH_MS } from './newest-event.js';

/** `events`: number of events not yet applied; {@link MAX_COUNT} means that many or more. `seconds`: age of the oldest of them. */
export type Lag = Readonly<{ events: number; seconds: number }>;

/** How far documents are behind. `head`: position of the newest event that they have to show, or the end of the log where that is far away. */
export type Behind = Readonly<{ head: Position; lag: Lag }>;

/** `searched`: position up to which the events are known that it counts. */
type Searched = Behind & Readonly<{ searched: Position }>;

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
 * Documents of a read model whose events are of these categories, applied up to `position`.
 * `shown`: the newest event of the categories is known from it if the log has none behind it; `null`: that is searched for.
 */
export type Followed = Readonly<{ name: string; categories: readonly string[]; position: Position; shown: LastShown | null }>;

/** Position behind which the events are read that are waiting, or newer than those known to be shown. */
const lookFrom = ({ position, shown }: Followed): Position => (shown && shown.checkpoint < position ? shown.checkpoint : position);

const pageAfter = (events: EventStore, after: Position, categories: readonly string[]): Promise<EventBatch> =>
  events.readAll({ after, categories, limit: MAX_COUNT, signal: AbortSignal.timeout(LONGEST_SEARCH_MS) });

/**
 * How far documents are behind the log, with one read unless large events wait.
 * @param now milliseconds since 1970-01-01 UTC
 * @param first events of a read that began at or before the documents' position, of these and other categories; default: one of their own
 * @throws EventStoreUnavailable
 */
export const behindHead = async (events: EventStore, documents: Followed, now: number, first?: EventBatch): Promise<Searched> => {
  const { categories, position, shown } = documents;
  const after = lookFrom(documents);
  const filter = parseFilter(categories);
  let [waiting, oldest, head] = [0, undefined as number | undefined, shown?.last];
  let read = first ?? (await pageAfter(events, after, categories));
  for (let [page, from] = [1, after]; ; page++) {
    const found = read.events.filter((event) => event.position > after && passes(filter, event.stream));
    const fresh = found.filter((event) => event.position > position);
    waiting += fresh.length;
    oldest ??= fresh[0]?.recordedAt;
    head = found.at(-1)?.position ?? head;
    const seconds = secondsSince(oldest, now);
    if (read.position > from) from = read.position;
    const searched = from;
    if (read.caughtUp)
      return { head: head ?? (await events.head(categories)), lag: { events: Math.min(waiting, MAX_COUNT), seconds }, searched };
    if (waiting >= MAX_COUNT || page === MOST_PAGES) return { head: await events.end(), lag: { events: MAX_COUNT, seconds }, searched };
    read = await pageAfter(events, from, categories);
  }
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
   * Where nothing was found to wait for the documents: the next look begins there, because the checkpoint of documents may stay far from the end of a
   * log that goes on with events of others.
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
      const wanted = asked.map(({ documents, ...answer }) => ({ documents, beyond: this.beyond(documents), ...answer }));
      const [after = 0n] = wanted.map(({ beyond }) => lookFrom(beyond)).sort((one, other) => (one < other ? -1 : 1));
      const categories = [...new Set(wanted.flatMap(({ documents }) => documents.categories))];
      const page = await pageAfter(events, after, categories);
      for (const { documents, beyond, resolve, reject } of wanted) {
        const answer = behindHead(events, beyond, this.now(), page).then(({ head, lag, searched }) => {
          if (lag.events === 0) found.set(documents.name, { position: documents.position, shown: { checkpoint: searched, last: head } });
          return { head, lag };
        });
        answer.then(resolve, reject);
      }
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

  /** @throws whatever `look` throws */
  behind(look: () => Promise<Behind>): Promise<Behind> {
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
