import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AuthoredMessage, MessageLog } from '#api/messaging/messages/message-log.js';
import { ReadBudget } from '#api/messaging/messages/read-budget.js';
import { FLAW, PUBLISHERS, SOURCE, sourceOf } from '#api/shared/dead-letters.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { covers, endOfRangeAt } from '#domain/messaging/deliveries/ranges.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';

/** A message that this service has published to a dead letter topic. `from`: name of its subscription, `null` if unknown. */
export type DeadLetter = Readonly<{ message: StoredMessage; from: string | null; reason: string; attempts: number | null }>;

/** Dead letters of a topic. `from`: name of the subscription that they come from; default all. */
export type LettersOf = Readonly<{ projectId: string; topicId: string; from?: string | undefined }>;

/** `next`: offset to continue at; `null` at the end. A page may be short, because one call reads a limited number of messages. */
type LetterPage = Readonly<{ letters: readonly DeadLetter[]; next: number | null }>;

/** `exact`: false if there may be more. */
export type LetterCount = Readonly<{ count: number; exact: boolean }>;

/** Messages of one read. */
const AT_ONCE = 250;
/** Maximum number of counted dead letters of a topic, and of those of all topics in memory. */
const MOST_COUNTED = 10_000;
const MOST_KEPT = 1_000_000;
/** Interval of the check for expired messages, which are counted until then. */
const CHECKED_MS = 60_000;

/** Counted form of a dead letter. */
type Entry = Readonly<{ offset: number; from: string | null }>;

/** The newest dead letters of a topic, newest first, among its messages between two offsets. `checkedAt`: time of the last check for expired messages. */
type Newest = Readonly<{ from: number; to: number; letters: readonly Entry[]; checkedAt: number }>;

/** Direction, start and end of a read. The end is exclusive forwards and inclusive backwards. */
type Way = Readonly<{ direction: 'forwards' | 'backwards'; at: number; to: number }>;
const isWithin = ({ direction, at, to }: Way): boolean => (direction === 'backwards' ? at > to : at < to);

/** `next`: offset to continue at. */
type ScanStep = Readonly<{ letter: DeadLetter | undefined; next: number }>;

/** Messages of one read; `next`: offset to continue at. */
type Part = Readonly<{ messages: readonly ScanStep[]; next: number }>;

const sizeOf = (found: readonly AuthoredMessage[]): number => found.reduce((sum, { message }) => sum + message.bytes, 0);

const wholeIn = (text: string | undefined): number | null => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

/** `undefined` if this service did not publish the message: any publisher can set the attributes. */
const letterIn = ({ message, author }: AuthoredMessage): DeadLetter | undefined => {
  const { attributes = {} } = message;
  if (author.kind !== 'system') return undefined;
  const from = sourceOf(message);
  if (author.id === PUBLISHERS.deliveries && from !== null) {
    const attempts = wholeIn(attributes[SOURCE.attempts]);
    return { message, from, attempts, reason: `not acknowledged in ${attempts ?? 'all'} attempt${attempts === 1 ? '' : 's'}` };
  }
  const reason = attributes[FLAW.reason];
  if (author.id !== PUBLISHERS.metricSource || reason === undefined) return undefined;
  return { message, from, attempts: wholeIn(attributes[FLAW.times]), reason };
};

/** The dead letters that a topic still holds and that were not redriven, with or without a subscription to it (console contract 7). */
@Injectable()
export class DeadLetterLog {
  private readonly newest = new LRUCache<string, Newest>({ maxSize: MOST_KEPT, sizeCalculation: ({ letters }) => letters.length + 1 });

  constructor(
    @Inject(MessageLog) private readonly log: Pick<MessageLog, 'authored'>,
    @Inject(ResourceQueries) private readonly resources: Pick<ResourceQueries, 'redriven'>,
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'nextOffset'>,
  ) {}

  /** Newest first, those before an offset. Default: from the newest on. */
  async newestFirst(of: LettersOf, limit: number, before?: number): Promise<LetterPage> {
    return this.page(of, { direction: 'backwards', at: before ?? (await this.end(of)), to: 0 }, limit);
  }

  /** Oldest first, between two offsets. */
  async oldestFirst(of: LettersOf, limit: number, from: number, to: number): Promise<LetterPage> {
    return this.page(of, { direction: 'forwards', at: from, to }, limit);
  }

  /** Offset of the next message of the topic. */
  end({ topicId }: Pick<LettersOf, 'topicId'>): Promise<number> {
    return this.offsets.nextOffset(topicId);
  }

  /** `undefined` if there is none at this offset. */
  async letter(of: LettersOf, offset: number): Promise<DeadLetter | undefined> {
    const [found] = await this.log.authored(of.topicId, { from: offset, direction: 'forwards', limit: 1 });
    return found?.message.offset === offset
      ? isAmong(of, await this.resources.redriven(of.projectId, of.topicId, offset, offset + 1), found)
      : undefined;
  }

  /** Number of dead letters of a topic, for each subscription and in all: exact up to 10,000, once calls have read that far. */
  async count(of: Omit<LettersOf, 'from'>, budget = new ReadBudget()): Promise<(from?: string) => LetterCount> {
    const { letters, exact } = await this.newestOf(of, budget);
    const counts = new Map<string | null, number>();
    for (const { from } of letters) counts.set(from, (counts.get(from) ?? 0) + 1);
    return (from) => ({ count: from === undefined ? letters.length : (counts.get(from) ?? 0), exact });
  }

  private async page(of: LettersOf, way: Way, limit: number): Promise<LetterPage> {
    const budget = new ReadBudget();
    const letters: DeadLetter[] = [];
    let { at } = way;
    while (isWithin({ ...way, at })) {
      if (budget.isSpent) return { letters, next: at };
      const { messages, next } = await this.part(of, { ...way, at }, budget);
      for (const step of messages) {
        if (step.letter) letters.push(step.letter);
        if (letters.length >= limit) return { letters, next: isWithin({ ...way, at: step.next }) ? step.next : null };
      }
      at = next;
    }
    return { letters, next: null };
  }

  private async part(of: LettersOf, { direction, at, to: bound }: Way, budget: ReadBudget): Promise<Part> {
    const isBackwards = direction === 'backwards';
    const [start, to] = isBackwards ? [Math.max(bound, at - AT_ONCE), at] : [at, Math.min(bound, at + AT_ONCE)];
    const taken = await this.resources.redriven(of.projectId, of.topicId, start, to);
    if (covers(taken, start, to)) {
      budget.spend(to - start, 0);
      return { messages: [], next: isBackwards ? start : to };
    }
    const from = isBackwards ? to - 1 : start;
    const found = await this.log.authored(of.topicId, { from, direction, limit: to - start, maxBytes: budget.bytes });
    budget.spend(to - start, sizeOf(found));
    const messages = found
      .filter(({ message: { offset } }) => offset >= start && offset < to)
      .map((one) => ({ letter: isAmong(of, taken, one), next: one.message.offset + (isBackwards ? 0 : 1) }));
    const expired = isBackwards ? bound : (found[0]?.message.offset ?? bound); // where messages begin again, if none are here
    return { messages, next: messages.at(-1)?.next ?? expired };
  }

  /** Dead letters known from earlier calls, newer ones, and older ones as far as this call can still read. */
  private async newestOf(of: LettersOf, budget: ReadBudget): Promise<Readonly<{ letters: readonly Entry[]; exact: boolean }>> {
    const end = await this.end(of);
    const known = (await this.knownOf(of)) ?? { from: end, to: end, letters: [], checkedAt: performance.now() };
    const to = Math.max(known.to, end);
    const newer = await this.walk(of, { at: to, to: known.to }, MOST_COUNTED, budget);
    const [isJoined, isFull] = [newer.from === known.to, newer.letters.length >= MOST_COUNTED];
    const room = MOST_COUNTED - newer.letters.length - known.letters.length;
    const older = isJoined ? await this.walk(of, { at: known.from, to: 0 }, room, budget) : { letters: [], from: newer.from };
    const all = [...newer.letters, ...(isJoined || !isFull ? known.letters : []), ...older.letters];
    const letters = all.slice(0, MOST_COUNTED);
    const from = letters.length < all.length ? (letters.at(-1)?.offset ?? to) : older.from;
    if (isJoined || isFull) this.newest.set(of.topicId, { from, to, letters, checkedAt: known.checkedAt });
    return { letters, exact: from === 0 };
  }

  /** Dead letters known from earlier calls, without redriven and expired ones. If one has expired, no older one is left. */
  private async knownOf({ projectId, topicId }: LettersOf): Promise<Newest | undefined> {
    const known = this.newest.get(topicId);
    const [oldest, now] = [known?.letters.at(-1)?.offset, performance.now()];
    if (!known || oldest === undefined) return known;
    const taken = await this.resources.redriven(projectId, topicId, oldest, known.to);
    const letters = known.letters.filter(({ offset }) => endOfRangeAt(taken, offset) === undefined);
    if (now - known.checkedAt < CHECKED_MS) return { ...known, letters };
    const [kept] = await this.log.authored(topicId, { from: oldest, direction: 'forwards', limit: 1 });
    const first = kept?.message.offset ?? known.to;
    const from = first > oldest ? 0 : known.from;
    return { ...known, from, letters: letters.filter(({ offset }) => offset >= first), checkedAt: now };
  }

  /** Reads backwards until it has enough dead letters or the call has read enough. `from`: the offset reached. */
  private async walk(
    of: LettersOf,
    { at, to }: Pick<Way, 'at' | 'to'>,
    most: number,
    budget: ReadBudget,
  ): Promise<Readonly<{ letters: readonly Entry[]; from: number }>> {
    const letters: Entry[] = [];
    let from = at;
    while (from > to && letters.length < most && !budget.isSpent) {
      const { messages, next } = await this.part(of, { direction: 'backwards', at: from, to }, budget);
      for (const { letter } of messages) if (letter) letters.push({ offset: letter.message.offset, from: letter.from });
      from = next;
    }
    return { letters, from };
  }
}

/** The message as one of the requested dead letters. */
const isAmong = ({ from }: LettersOf, taken: readonly number[], one: AuthoredMessage): DeadLetter | undefined => {
  if (endOfRangeAt(taken, one.message.offset) !== undefined) return undefined;
  const letter = letterIn(one);
  return letter && (from === undefined || letter.from === from) ? letter : undefined;
};
