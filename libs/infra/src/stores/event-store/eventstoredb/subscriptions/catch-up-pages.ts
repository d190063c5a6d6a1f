import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CategoryFilter } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import type { StoredEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';

/** All events of the categories after `from`, up to `reached`, which was the end of the log if `caughtUp`. `undefined`: of every stream. */
type CatchUpPage = Readonly<{
  from: Position;
  reached: Position;
  caughtUp: boolean;
  categories: ReadonlySet<string> | undefined;
  events: readonly StoredEvent[];
}>;

/** Number of followers from which they share pages: otherwise the server would search the log again for each of them. */
const MANY = 3;

const PAGE_EVENTS = 1_000;
const PAGE_BYTES = 4 * 1024 * 1024;
const PAGES = 6;
/** Age up to which a search begins anew for a follower that wants more. Read models of a process begin one after another. */
const YOUNG_MS = 1_000;

/** Time that followers in front wait for one at the oldest page. After it, that one reads by itself what is no longer kept. */
const PATIENCE_MS = 500;

/** A page that is being read. Aborting it ends the search. */
type Reading = Pick<CatchUpPage, 'categories'> &
  Readonly<{ page: Promise<CatchUpPage | undefined>; begunAt: number; ending: AbortController }>;

const covers = ({ categories }: Pick<CatchUpPage, 'categories'>, { categories: wanted }: CatchingUp): boolean =>
  categories === undefined || wanted?.every((name) => categories.has(name)) === true;

/** Returns whether the page has the next events of the follower. */
const serves = (page: CatchUpPage, follower: CatchingUp): boolean =>
  page.from <= follower.position && follower.position < page.reached && covers(page, follower);

/** A follower that is catching up. */
export class CatchingUp {
  isNew = true;
  /** Other followers no longer wait for it, because it delayed them. */
  isLeftBehind = false;
  /** It has had the last page of the log: shared pages would follow a log that grows for ever. */
  isAtEnd = false;
  /** Resolves when it leaves. */
  readonly left: Promise<undefined>;
  private resolveLeft = (): void => undefined;

  constructor(
    public position: Position,
    readonly categories: CategoryFilter | undefined,
    private readonly onLeft: (one: CatchingUp) => void,
  ) {
    this.left = new Promise((resolve) => {
      this.resolveLeft = () => resolve(undefined);
    });
  }

  leave(): void {
    this.resolveLeft();
    this.onLeft(this);
  }
}

/**
 * Pages of the log, shared by all followers that catch up at the same time, such as the read models of a process after a start: each has what any
 * of them wants, and is read and decoded once. A few pages are kept for followers that are slightly behind; those in front wait for the others, within limits.
 */
export class CatchUpPages {
  private readonly followers = new Set<CatchingUp>();
  private readonly reading = new Map<Position, Reading>();
  private pages: readonly CatchUpPage[] = [];
  private readonly moves = new Waiters<void>();
  private interruptions = 0;

  constructor(private readonly reads: Pick<LogReads, 'storedPage' | 'reader'>) {
    // From here on another server may answer, perhaps with another log: no page may be kept.
    reads.reader.interruptions.listen(() => {
      this.interruptions += 1;
      this.pages = [];
    });
  }

  join(position: Position, categories?: CategoryFilter): CatchingUp {
    const one = new CatchingUp(position, categories, (leaving) => {
      this.followers.delete(leaving);
      this.moves.wakeAll();
      if (this.followers.size > 0) return;
      this.pages = [];
      for (const { ending } of this.reading.values()) ending.abort();
    });
    this.followers.add(one);
    return one;
  }

  /**
   * A page with the events after the follower's position. `undefined`: the follower must read the log itself, because it is nearly alone,
   * left behind, at the end of the log, or where a page cannot be read.
   */
  async next(follower: CatchingUp): Promise<CatchUpPage | undefined> {
    this.moves.wakeAll();
    if (follower.isNew) await nextTurn(); // other followers may be about to join
    follower.isNew = false;
    while (this.followers.size >= MANY && this.followers.has(follower) && !follower.isAtEnd) {
      const known = this.pages.find((page) => serves(page, follower));
      if (known) {
        follower.isAtEnd = known.caughtUp;
        return known;
      }
      if (follower.isLeftBehind) return undefined; // pages for one follower would evict those of the others
      const { page, ending } = this.readingFor(follower);
      const read = await Promise.race([page, follower.left]);
      if (!ending.signal.aborted && (!read || read.reached <= follower.position)) return undefined;
      // Otherwise the page may lack what this follower wants, because it joined later.
    }
    return undefined;
  }

  private readingFor(follower: CatchingUp): Reading {
    const { position } = follower;
    const underWay = this.reading.get(position);
    if (!underWay) return this.begin(position);
    if (covers(underWay, follower) || performance.now() - underWay.begunAt > YOUNG_MS) return underWay;
    underWay.ending.abort();
    return this.begin(position);
  }

  private begin(position: Position): Reading {
    const wanted = this.categories();
    const ending = new AbortController();
    const page = this.read(position, wanted, ending.signal).finally(() => {
      if (this.reading.get(position) === reading) this.reading.delete(position);
    });
    const reading = { page, categories: wanted && new Set(wanted), begunAt: performance.now(), ending };
    this.reading.set(position, reading);
    return reading;
  }

  private async read(after: Position, wanted: CategoryFilter | undefined, signal: AbortSignal): Promise<CatchUpPage | undefined> {
    await this.room();
    const asOf = this.interruptions;
    const request = { after, categories: wanted, limit: PAGE_EVENTS, maxBytes: PAGE_BYTES };
    const read = await this.reads.storedPage(request, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (!read || asOf !== this.interruptions) return undefined;
    const { position: reached, caughtUp, events } = read;
    const page = { from: after, reached, caughtUp, categories: wanted && new Set(wanted), events };
    if (this.followers.size > 0 && page.reached > after) this.pages = [...this.pages, page];
    return page;
  }

  /** Categories that any follower wants; `undefined`: every stream. */
  private categories(): CategoryFilter | undefined {
    const wanted = [...this.followers].map(({ categories }) => categories);
    return wanted.includes(undefined) ? undefined : [...new Set(wanted.flatMap((categories) => categories ?? []))].sort();
  }

  /** Waits until the oldest page is no longer needed, or its followers may not be waited for. */
  private async room(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let [oldest] = this.pages; oldest && this.pages.length >= PAGES; [oldest] = this.pages) {
      const late = this.needing(oldest);
      const leftMs = deadline - performance.now();
      if (late.length > 0 && leftMs > 0) await this.moves.wait(leftMs);
      else {
        for (const one of late) one.isLeftBehind = true;
        this.pages = this.pages.slice(1);
      }
    }
  }

  private needing(page: CatchUpPage): readonly CatchingUp[] {
    return [...this.followers].filter((one) => !one.isLeftBehind && serves(page, one));
  }
}
