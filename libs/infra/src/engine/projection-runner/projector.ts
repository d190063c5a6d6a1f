import { type EventBatch, type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { Waiters } from '#infra/platform/scheduling/waiters.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { type Categories, parseFilter, passesCategory } from '#infra/stores/event-store/category-filter.js';
import { withOpenings } from '#infra/stores/log-identity/origin.js';
import type { NeededStreams, ProjectedEvent } from '#projections/shared/projection.js';
import { Mailbox, type MailboxMember } from './mailbox.js';
import { eventsOfStreams } from './needed-streams.js';

/** Events per read of a member that is slightly behind the head. */
const PAGE_EVENTS = 500;
/** Time that the head waits for members with an untaken batch. After it, slow members catch up by themselves. */
const PATIENCE_MS = 100;
/** Long enough for a search of the whole log in which nothing is found. */
const NEEDED_MS = 60_000;

/**
 * The only loop of a process over the log: one subscription for all projections, whose batches go to the projections of their categories.
 * Each member has its own position. A member that is behind catches up by itself, after those that most calls need; one that stands still or
 * fails delays no other.
 */
export class Projector {
  /** Searches for projections that another process applies, one at a time. */
  readonly searches = new Turnstile(1);
  private readonly categories: readonly string[];
  private opened: Promise<Head> | undefined;
  private decoded = new WeakMap<RecordedEvent, ProjectedEvent>();
  /** Needed members that are catching up, with the time of their last batch. */
  private readonly ahead = new Map<MailboxMember, number>();
  private readonly moves = new Waiters<void>();

  /**
   * @param projections whose categories are read @param restMs time without an event after which members commit skipped positions
   * @param neededMs time without a batch after which the others no longer wait for a needed member
   */
  constructor(
    private readonly events: EventStore,
    private readonly decodeEvents: DecodeEvents,
    projections: Iterable<Readonly<{ categories: readonly string[] }>>,
    private readonly restMs: number,
    private readonly neededMs = NEEDED_MS,
  ) {
    this.categories = withOpenings([...new Set([...projections].flatMap(({ categories }) => categories))]);
  }

  /** Decodes events; those of the newest batch only once for all members. */
  readonly decode: DecodeEvents = (events) => {
    const { decoded } = this;
    const known = (): readonly ProjectedEvent[] => events.map((event) => decoded.get(event) as ProjectedEvent);
    const unknown = events.filter((event) => !decoded.has(event));
    if (unknown.length === 0) return known();
    const learn = (found: readonly ProjectedEvent[]): readonly ProjectedEvent[] => {
      for (const [index, event] of unknown.entries()) decoded.set(event, found[index] as ProjectedEvent);
      return known();
    };
    const found = this.decodeEvents(unknown);
    return found instanceof Promise ? found.then(learn) : learn(found);
  };

  /**
   * Keeps a member level with the log until the signal is aborted.
   * @throws errors of the member
   * @throws EventStoreUnavailable the log was closed @throws DamagedLog
   */
  async follow(member: MailboxMember, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!(await this.catchUpInTurn(member, signal))) continue;
      const head = await this.head();
      const mailbox = head.join(member);
      try {
        await this.takeUntil(head.joinedAt(mailbox), member, signal);
        await mailbox.drain(signal);
      } finally {
        head.leave(mailbox);
      }
    }
  }

  private async catchUpInTurn(member: MailboxMember, signal: AbortSignal): Promise<boolean> {
    const { needed } = member;
    if (!needed) {
      await this.turn(signal);
      return await this.catchUp(member, signal);
    }
    this.ahead.set(member, performance.now());
    try {
      await this.fill(member, needed, signal);
      return await this.catchUp(member, signal);
    } finally {
      this.ahead.delete(member);
      this.moves.wakeAll();
    }
  }

  /**
   * Applies the events of its streams that it has not processed, if it is filled, or most of the log is behind it: its documents may come from an old copy.
   * A search of the log follows as it does otherwise if they are many, or cannot be read now.
   */
  private async fill(member: MailboxMember, needed: NeededStreams, signal: AbortSignal): Promise<void> {
    try {
      const end = await this.events.end();
      if (!member.isFilling && 2n * member.processed >= end) return;
      const all = await eventsOfStreams(this.events, needed, end, signal);
      const found = all?.filter(({ position }) => position > member.processed);
      for (let from = 0; found && !signal.aborted && from < Math.max(1, found.length); from += PAGE_EVENTS) {
        const events = found.slice(from, from + PAGE_EVENTS);
        const isLast = from + PAGE_EVENTS >= found.length;
        await member.take({ events, position: isLast ? end : (events.at(-1)?.position ?? end), caughtUp: false });
        this.ahead.set(member, performance.now());
      }
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable)) throw error;
    }
  }

  /** Returns `true` once it has caught up with the head of the log, `false` on the signal, or when needed members are to go first. */
  private async catchUp(member: MailboxMember, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const { processed: after } = member;
    const categories = withOpenings(member.categories);
    try {
      for await (const batch of this.events.subscribeAll({ after, categories, signal: AbortSignal.any([signal, over.signal]) })) {
        if (signal.aborted) return false; // the batch may come from another log
        await member.take(batch);
        if (batch.caughtUp) return !signal.aborted;
        if (member.needed) this.ahead.set(member, performance.now());
        else if (this.awaitedMs() > 0) return false;
      }
    } finally {
      over.abort();
    }
    if (signal.aborted) return false;
    throw new EventStoreUnavailable('the subscription ended');
  }

  /** Waits until no needed member is catching up, or one of them stands still. */
  private async turn(signal: AbortSignal): Promise<void> {
    for (let leftMs = this.awaitedMs(); leftMs > 0 && !signal.aborted; leftMs = this.awaitedMs()) await this.moves.wait(leftMs, signal);
  }

  /** Time for which needed members may still be waited for; 0 if none is catching up. */
  private awaitedMs(): number {
    const { ahead, neededMs } = this;
    return ahead.size === 0 ? 0 : Math.max(0, Math.min(...ahead.values()) + neededMs - performance.now());
  }

  /** Takes the events appended between the end of its own reading and its first batch from the head. */
  private async takeUntil(position: Position, member: MailboxMember, signal: AbortSignal): Promise<void> {
    const categories = withOpenings(member.categories);
    while (member.processed < position && !signal.aborted) {
      const batch = await this.events.readAll({ after: member.processed, categories, limit: PAGE_EVENTS, signal });
      if (!signal.aborted) await member.take(batch);
    }
  }

  private head(): Promise<Head> {
    if (this.opened) return this.opened;
    const ending = new AbortController();
    const release = this.events.onInterruption(() => ending.abort(), 'reads');
    const { events, categories, restMs } = this;
    const begun = (): void => this.forget();
    const head = events.end().then((position) => new Head({ events, categories, restMs, begun }, position, ending));
    ending.signal.addEventListener('abort', () => {
      release();
      if (this.opened === head) this.opened = undefined;
    });
    head.catch(() => ending.abort());
    this.opened = head;
    return head;
  }

  /** Keeps decoded events for one batch only, because a key destroyed later makes them unreadable. */
  private forget(): void {
    this.decoded = new WeakMap();
  }
}

type HeadOptions = Readonly<{
  events: EventStore;
  categories: readonly string[];
  restMs: number;
  /** Called before each batch. */
  begun: () => void;
}>;

/** The subscription at the head of the log, until the log is interrupted or no member is left. */
class Head {
  private readonly mailboxes = new Map<Mailbox, Categories>();
  private readonly joined = new WeakMap<Mailbox, Position>();
  /** Mailboxes by category of events. */
  private readonly byCategory = new Map<string, readonly Mailbox[]>();

  private readonly resting: NodeJS.Timeout;

  /** @param position up to which it has read */
  constructor(
    private readonly options: HeadOptions,
    private position: Position,
    private readonly ending: AbortController,
  ) {
    const { restMs } = options;
    this.resting = setTimeout(() => {
      for (const mailbox of this.mailboxes.keys()) mailbox.rest();
    }, restMs).unref();
    void this.run().catch((error: unknown) => this.end(error));
  }

  join(member: MailboxMember): Mailbox {
    const mailbox = new Mailbox(member);
    if (this.ending.signal.aborted) mailbox.close();
    this.joined.set(mailbox, this.position);
    this.mailboxes.set(mailbox, filterOf(member));
    this.byCategory.clear();
    return mailbox;
  }

  /** Position before the first batch for the mailbox. */
  joinedAt(mailbox: Mailbox): Position {
    return this.joined.get(mailbox) ?? 0n;
  }

  leave(mailbox: Mailbox): void {
    this.mailboxes.delete(mailbox);
    this.byCategory.clear();
    if (this.mailboxes.size === 0) this.ending.abort();
  }

  private async run(): Promise<void> {
    const { options, ending, position: after } = this;
    const { events, categories, begun } = options;
    for await (const batch of events.subscribeAll({ after, categories, signal: ending.signal })) {
      if (ending.signal.aborted) break;
      begun();
      this.hand(batch);
      this.resting.refresh();
      await this.patience();
    }
    this.end(ending.signal.aborted ? undefined : new EventStoreUnavailable('the subscription ended'));
  }

  private hand({ events, position }: EventBatch): void {
    if (position > this.position) this.position = position; // a batch may be delivered again
    const wanted = new Map<Mailbox, RecordedEvent[]>();
    for (const event of events)
      for (const mailbox of this.readersOf(categoryOf(event.stream))) getOrInsert(wanted, mailbox, () => []).push(event);
    for (const mailbox of [...this.mailboxes.keys()]) mailbox.put(wanted.get(mailbox) ?? [], position);
  }

  private readersOf(category: string): readonly Mailbox[] {
    return getOrInsert(this.byCategory, category, () =>
      [...this.mailboxes].filter(([, filter]) => passesCategory(filter, category)).map(([mailbox]) => mailbox),
    );
  }

  /** Events accumulate in the log while members process their batches. */
  private async patience(): Promise<void> {
    const busy = [...this.mailboxes.keys()].filter((mailbox) => mailbox.isWaitedFor);
    if (busy.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        for (const mailbox of busy) mailbox.isSlow = true;
        resolve();
      }, PATIENCE_MS);
    });
    await Promise.race([Promise.all(busy.map((mailbox) => mailbox.empty())), over]);
    clearTimeout(timer);
  }

  private end(failure: unknown): void {
    clearTimeout(this.resting);
    this.ending.abort();
    for (const mailbox of this.mailboxes.keys()) mailbox.close(failure);
  }
}

const filterOf = ({ categories }: MailboxMember): Categories => {
  const filter = parseFilter(withOpenings(categories));
  if (!filter) throw new Error('a projection must name its categories');
  return filter;
};
