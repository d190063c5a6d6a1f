import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type AuthoredMessage, MessageLog } from '#api/messaging/messages/message-log.js';
import { FLAW, PUBLISHERS, SOURCE } from '#api/shared/dead-letters.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { covers, endOfRangeAt } from '#domain/messaging/deliveries/ranges.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';

/** A message that this service has published to a dead letter topic. `from`: name of its subscription, `null` if it is not known. */
export type DeadLetter = Readonly<{ message: StoredMessage; from: string | null; reason: string; attempts: number | null }>;

/** The topic of dead letters, and the subscription that they come from. Default: all. */
export type LettersOf = Readonly<{ projectId: string; topicId: string; from?: string | undefined }>;

/** `next`: where to go on; `null` at the end. A page may be short, because a call looks at so many messages only. */
type LetterPage = Readonly<{ letters: readonly DeadLetter[]; next: number | null }>;

/** `exact`: false if there are more. */
export type LetterCount = Readonly<{ count: number; exact: boolean }>;

/** Messages that are read at once. */
const AT_ONCE = 250;
/** Bounds of a call: offsets, those of redriven messages included, and data. */
const MOST_LOOKED = 50_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Newest messages of a topic that are counted. */
const MOST_COUNTED = 1_000;
const MOST_TOPICS = 500;
/** Messages that expire meanwhile are counted until then. */
const COUNTED_MS = 60_000;

/** The newest dead letters of a topic, newest first, of its messages up to `head`. */
type Newest = Readonly<{ head: number; letters: readonly Readonly<{ offset: number; from: string | null }>[]; isWhole: boolean }>;

/** In which direction from an offset on; `end`: offset of the next message of the topic. */
type Way = Readonly<{ direction: 'forwards' | 'backwards'; at: number; end: number }>;
const isWithin = ({ direction, end }: Way, at: number): boolean => (direction === 'backwards' ? at > 0 : at < end);

/** `next`: where to go on behind it. `isOver`: the call has looked at enough. */
type Looked = Readonly<{ letter?: DeadLetter | undefined; next: number; isOver?: true }>;

/** Messages that were read together; `next`: where to go on behind them. */
type Part = Readonly<{ messages: readonly Looked[]; bytes: number; next: number }>;

const sizeOf = (found: readonly AuthoredMessage[]): number => found.reduce((sum, { message }) => sum + message.bytes, 0);

const NAME = /^projects\/[^/]+\/subscriptions\/(.+)$/;
const nameIn = (source: string | undefined): string | null => NAME.exec(source ?? '')?.[1] ?? null;

const wholeIn = (text: string | undefined): number | null => (/^\d{1,9}$/.test(text ?? '') ? Number(text) : null);

/** `undefined` if this service did not put the message there: anybody can give a message its attributes. */
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

/** The dead letters that a topic still holds and no redrive has taken, whether or not a subscription reads them (console contract 7). */
@Injectable()
export class DeadLetterLog {
  private readonly newest = new LRUCache<string, Newest>({ max: MOST_TOPICS, ttl: COUNTED_MS });

  constructor(
    @Inject(MessageLog) private readonly log: Pick<MessageLog, 'authored'>,
    @Inject(ResourceQueries) private readonly resources: Pick<ResourceQueries, 'redriven'>,
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'nextOffset'>,
  ) {}

  /** The newest first, those before an offset. Default: from the newest on. */
  async newestFirst(of: LettersOf, limit: number, before?: number): Promise<LetterPage> {
    const end = await this.offsets.nextOffset(of.topicId);
    return this.page(of, { direction: 'backwards', at: before ?? end, end }, limit);
  }

  /** The oldest first, from an offset on. */
  async oldestFirst(of: LettersOf, limit: number, from: number): Promise<LetterPage> {
    return this.page(of, { direction: 'forwards', at: from, end: await this.offsets.nextOffset(of.topicId) }, limit);
  }

  /** One of them; `undefined` if there is none at this offset. */
  async letter(of: LettersOf, offset: number): Promise<DeadLetter | undefined> {
    const [found] = await this.log.authored(of.topicId, { from: offset, direction: 'forwards', limit: 1 });
    return found?.message.offset === offset
      ? isAmong(of, await this.resources.redriven(of.projectId, of.topicId, offset, offset + 1), found)
      : undefined;
  }

  /** How many there are among the newest messages of a topic, of each subscription and of all. */
  async count({ projectId, topicId }: Omit<LettersOf, 'from'>): Promise<(from?: string) => LetterCount> {
    const { head, letters, isWhole } = await this.newestOf(topicId);
    const first = letters.at(-1)?.offset;
    const taken = first === undefined ? [] : await this.resources.redriven(projectId, topicId, first, head);
    const left = letters.filter(({ offset }) => endOfRangeAt(taken, offset) === undefined);
    return (from) => ({ count: from === undefined ? left.length : left.filter((one) => one.from === from).length, exact: isWhole });
  }

  private async page(of: LettersOf, way: Way, limit: number): Promise<LetterPage> {
    const letters: DeadLetter[] = [];
    for await (const { letter, next, isOver } of this.looked(of, way)) {
      if (letter) letters.push(letter);
      if (isOver || letters.length >= limit) return { letters, next: isWithin(way, next) ? next : null };
    }
    return { letters, next: null };
  }

  /** One message after the other, without those that were redriven. */
  private async *looked(of: LettersOf, way: Way): AsyncGenerator<Looked> {
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
    const expired = isBackwards ? 0 : (found[0]?.message.offset ?? end); // where messages begin again, if there are none here
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
      at = found.at(-1)?.message.offset ?? 0; // none: the rest has expired
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

/** A dead letter as it is counted, unless it was counted before. */
const entryOf = (one: AuthoredMessage, since: number): readonly Readonly<{ offset: number; from: string | null }>[] => {
  const { offset } = one.message;
  const letter = offset < since ? undefined : letterIn(one);
  return letter ? [{ offset, from: letter.from }] : [];
};

/** The message as one of the dead letters asked for. */
const isAmong = ({ from }: LettersOf, taken: readonly number[], one: AuthoredMessage): DeadLetter | undefined => {
  if (endOfRangeAt(taken, one.message.offset) !== undefined) return undefined;
  const letter = letterIn(one);
  return letter && (from === undefined || letter.from === from) ? letter : undefined;
};
