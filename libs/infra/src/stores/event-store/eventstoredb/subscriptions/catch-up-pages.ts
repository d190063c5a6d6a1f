import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { LogReads } from '#infra/stores/event-store/eventstoredb/log-reads.js';
import type { StoredEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';

/** Events of all categories: all wanted ones after `from`, up to `reached`. */
type CatchUpPage = Readonly<{ from: Position; reached: Position; events: readonly StoredEvent[] }>;

/** Number of followers from which the log is read as a whole: otherwise the server would search it again for each of them. */
const MANY = 3;

const PAGE_EVENTS = 1_000;
const PAGE_BYTES = 4 * 1024 * 1024;
const PAGES = 6;

/** Time that followers in front wait for one at the oldest page. After it, that one reads by itself what is no longer kept. */
const PATIENCE_MS = 500;

const holds =
  (position: Position) =>
  ({ from, reached }: CatchUpPage): boolean =>
    from <= position && position < reached;

/** A follower that is catching up. */
export class CatchingUp {
  isNew = true;
  /** Other followers no longer wait for it, because it delayed them. */
  isLeftBehind = false;

  constructor(
    public position: Position,
    private readonly left: (one: CatchingUp) => void,
  ) {}

  leave(): void {
    this.left(this);
  }
}

/**
 * Pages of the whole log, shared by all followers that catch up at the same time, such as the read models of a process after a start: each
 * is read and decoded once. A few pages are kept for followers that are slightly behind; those in front wait for the others, within limits.
 */
export class CatchUpPages {
  private readonly followers = new Set<CatchingUp>();
  private readonly reading = new Map<Position, Promise<CatchUpPage | undefined>>();
  private pages: readonly CatchUpPage[] = [];
  private readonly moves = new Waiters<void>();
  private interruptions = 0;

  constructor(private readonly reads: Pick<LogReads, 'wholePage' | 'reader'>) {
    // From here on another server may answer, perhaps with another log: no page may be kept.
    reads.reader.interruptions.listen(() => {
      this.interruptions += 1;
      this.pages = [];
    });
  }

  join(position: Position): CatchingUp {
    const one = new CatchingUp(position, (leaving) => {
      this.followers.delete(leaving);
      if (this.followers.size === 0) this.pages = [];
      this.moves.wakeAll();
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
    if (this.followers.size < MANY) return undefined;
    const { position } = follower;
    const known = this.pages.find(holds(position));
    if (known) return known;
    if (follower.isLeftBehind) return undefined; // pages for one follower would evict those of the others
    return getOrInsert(this.reading, position, () => this.read(position).finally(() => this.reading.delete(position)));
  }

  private async read(after: Position): Promise<CatchUpPage | undefined> {
    await this.room();
    const asOf = this.interruptions;
    const { events, reached, complete } = await this.reads.wholePage(after, PAGE_EVENTS, PAGE_BYTES);
    // The end of the log moves: a follower that reaches it reads by itself.
    if (complete || asOf !== this.interruptions) return undefined;
    const page = { from: after, reached, events };
    if (this.followers.size > 0) this.pages = [...this.pages, page];
    return page;
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
    return [...this.followers].filter(({ position, isLeftBehind }) => !isLeftBehind && holds(position)(page));
  }
}
