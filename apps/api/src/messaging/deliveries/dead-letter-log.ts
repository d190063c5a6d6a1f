import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AuthoredMessage, MessageLog } from '#api/messaging/messages/message-log.js';
import { FLAW, PUBLISHERS, SOURCE } from '#api/shared/dead-letters.js';
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
/** Bounds of a call: offsets, including those of redriven messages, and data. */
const MOST_LOOKED = 50_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Only this number of the newest messages of a topic is counted. */
const MOST_COUNTED = 1_000;
const MOST_TOPICS = 500;
/** Counts are kept for so long. Messages that expire meanwhile are still counted. */
const COUNTED_MS = 60_000;

/** The newest dead letters of a topic, newest first, among its messages up to `head`. */
type Newest = Readonly<{ head: number; letters: readonly Readonly<{ offset: number; from: string | null }>[]; isWhole: boolean }>;

/** Direction and start of a read; `end`: offset of the topic's next message. */
type Way = Readonly<{ direction: 'forwards' | 'backwards'; at: number; end: number }>;
const isWithin = ({ direction, end }: Way, at: number): boolean => (direction === 'backwards' ? at > 0 : at < end);

/** `next`: offset to continue at. `isOver`: the call has read enough. */
type ScanStep = Readonly<{ letter?: DeadLetter | undefined; next: number; isOver?: true }>;

/** Messages of one read; `next`: offset to continue at. */
type Part = Readonly<{ messages: readonly ScanStep[]; bytes: number; next: number }>;

const sizeOf = (found: readonly AuthoredMessage[]): number => found.reduce((sum, { message }) => sum + message.bytes, 0);

const NAME = /^projects\/[^/]+\/subscriptions\/(.+)$/;
const nameIn = (source: string | undefined): string | null => NAME.exec(source ?? '')?.[1] ?? null;

const wholeIn = (text: string | undefined): number | null => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

/** `undefined` if this service did not publish the message: any publisher can set the attributes. */
const letterIn = ({ message, author }: AuthoredMessage): DeadLetter | undefined => {
  const { attributes = {} } = message;
  if (author.kind !== 'system') return undefined;
  const from = nameIn(attributes[SOURCE.subscription]);
  if (author.id === PUBLISHERS.deliveries && from !== null) {
    const attempts = wholeIn(attributes[SOURCE.attempts]);
    return { message, from, attempts, reason: `not acknowledged in ${attempts ?? 'all'} attempt${attempts === 1 ? '' : 's'}` };
  }
  const reason = attributes[FLAW.reason];
  if (author.id !== PUBLISHERS.metricSource || reason === undefined) return undefined;
  return { message, from, attempts: wholeIn(attributes[FLAW.times]), reason };
};

/**
 * The dead letters that a topic still holds and that were not redriven, with or without a subscription that reads them (console contract
 * 7).
 */
@Injectable()
export class DeadLetterLog {
  private readonly newest = new LRUCache<string, Newest>({ max: MOST_TOPICS, ttl: COUNTED_MS });

  constructor(
    @Inject(MessageLog) private readonly log: Pick<MessageLog, 'authored'>,
    @Inject(ResourceQueries) private readonly resources: Pick<ResourceQueries, 'redriven'>,
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'nextOffset'>,
  ) {}

  /** Newest first, those before an offset. Default: from the newest on. */
  async newestFirst(of: LettersOf, limit: number, before?: number): Promise<LetterPage> {
    const end = await this.offsets.nextOffset(of.topicId);
    return this.page(of, { direction: 'backwards', at: before ?? end, end }, limit);
  }

  /** Oldest first, from an offset on. */
  async oldestFirst(of: LettersOf, limit: number, from: number): Promise<LetterPage> {
    return this.page(of, { direction: 'forwards', at: from, end: await this.offsets.nextOffset(of.topicId) }, limit);
  }

  /** `undefined` if there is none at this offset. */
  async letter(of: LettersOf, offset: number): Promise<DeadLetter | undefined> {
    const [found] = await this.log.authored(of.topicId, { from: offset, direction: 'forwards', limit: 1 });
    return found?.message.offset === offset
      ? isAmong(of, await this.resources.redriven(of.projectId, of.topicId, offset, offset + 1), found)
      : undefined;
  }

  /** Number of dead letters among the newest messages of a topic, for each subscription and in all. */
  async count({ projectId, topicId }: Omit<LettersOf, 'from'>): Promise<(from?: string) => LetterCount> {
    const { head, letters, isWhole } = await this.newestOf(topicId);
    const first = letters.at(-1)?.offset;
    const taken = first === undefined ? [] : await this.resources.redriven(projectId, topicId, first, head);
    const left = letters.filter(({ offset }) => endOfRangeAt(taken, offset) === undefined);
    return (from) => ({ count: from === undefined ? left.length : left.filter((one) => one.from === from).length, exact: isWhole });
  }

  private async page(of: LettersOf, way: Way, limit: number): Promise<LetterPage> {
    const letters: DeadLetter[] = [];
    for await (const { letter, next, isOver } of this.scan(of, way)) {
      if (letter) letters.push(letter);
      if (isOver || letters.length >= limit) return { letters, next: isWithin(way, next) ? next : null };
    }
    return { letters, next: null };
  }

  /** Yields one message after the other, without redriven ones. */
  private async *scan(of: LettersOf, way: Way): AsyncGenerator<ScanStep> {
    let [at, looked, bytes] = [way.at, 0, 0];
    while (isWithin(way, at)) {
      if (looked >= MOST_LOOKED || bytes >= MOST_BYTES) {
        yield { next: at, isOver: true };
        return;
      }
      const part = await this.part(of, way, at, MOST_BYTES - bytes);
      yield* part.messages;
      looked += AT_ONCE;
      bytes += part.bytes;
      at = part.next;
    }
  }

  private async part(of: LettersOf, { direction, end }: Way, at: number, maxBytes: number): Promise<Part> {
    const isBackwards = direction === 'backwards';
    const [start, to] = isBackwards ? [Math.max(0, at - AT_ONCE), at] : [at, Math.min(end, at + AT_ONCE)];
    const taken = await this.resources.redriven(of.projectId, of.topicId, start, to);
    if (covers(taken, start, to)) return { messages: [], bytes: 0, next: isBackwards ? start : to };
    const from = isBackwards ? to - 1 : start;
    const found = await this.log.authored(of.topicId, { from, direction, limit: to - start, maxBytes });
    const messages = found
      .filter(({ message: { offset } }) => offset >= start && offset < to)
      .map((one) => ({ letter: isAmong(of, taken, one), next: one.message.offset + (isBackwards ? 0 : 1) }));
    const expired = isBackwards ? 0 : (found[0]?.message.offset ?? end); // where messages begin again, if none are here
    return { messages, bytes: sizeOf(found), next: messages.at(-1)?.next ?? expired };
  }

  private async newestOf(topicId: string): Promise<Newest> {
    const known = this.newest.get(topicId);
    const head = await this.offsets.nextOffset(topicId);
    if (known && known.head >= head) return known;
    const since = known?.head ?? 0;
    const letters: { offset: number; from: string | null }[] = [];
    let [at, bytes] = [head, 0];
    while (at > since && head - at < MOST_COUNTED && bytes < MOST_BYTES) {
      const read = { from: at - 1, direction: 'backwards', limit: Math.min(AT_ONCE, at - since), maxBytes: MOST_BYTES - bytes } as const;
      const found = await this.log.authored(topicId, read);
      at = found.at(-1)?.message.offset ?? 0; // none: the others have expired
      bytes += sizeOf(found);
      letters.push(...found.flatMap((one) => entryOf(one, since)));
    }
    const isJoined = at <= since;
    const all = isJoined ? [...letters, ...(known?.letters ?? [])] : letters;
    const newest = {
      head,
      letters: all.slice(0, MOST_COUNTED),
      isWhole: isJoined && (known?.isWhole ?? true) && all.length <= MOST_COUNTED,
    };
    this.newest.set(topicId, newest, { ttl: known ? this.newest.getRemainingTTL(topicId) || COUNTED_MS : COUNTED_MS });
    return newest;
  }
}

/** Counted form of a dead letter, unless it was counted before. */
const entryOf = (one: AuthoredMessage, since: number): readonly Readonly<{ offset: number; from: string | null }>[] => {
  const { offset } = one.message;
  const letter = offset < since ? undefined : letterIn(one);
  return letter ? [{ offset, from: letter.from }] : [];
};

/** The message as one of the requested dead letters. */
const isAmong = ({ from }: LettersOf, taken: readonly number[], one: AuthoredMessage): DeadLetter | undefined => {
  if (endOfRangeAt(taken, one.message.offset) !== undefined) return undefined;
  const letter = letterIn(one);
  return letter && (from === undefined || letter.from === from) ? letter : undefined;
};
