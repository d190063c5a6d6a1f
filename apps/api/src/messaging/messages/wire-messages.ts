import { LRUCache } from 'lru-cache';
import type { MessageLog, MessagePages } from './message-log.js';
import { isPlain, type WireMessage, wireMessage } from './message-texts.js';

/** Bytes of memory for messages that may be pulled again, and about as many as each takes besides its text. */
const REMEMBERED = 32 * 1024 * 1024;
const BESIDES = 100;
/** Bytes of a text; a longer one would drive out too many others. */
const LONGEST = 256 * 1024;
/** So many messages share an entry, because a look-up for each would cost as much as the rest of the answer. */
const TOGETHER = 64;

/** Messages of a topic, each at its offset modulo {@link TOGETHER}; some places may be empty. */
type Piece = readonly WireMessage[];

const keyOf = (topicId: string, offset: number): string => `${topicId}:${Math.floor(offset / TOGETHER)}`;

const memoryOf = (piece: Piece): number =>
  piece.reduce((sum, message) => sum + message.text.length * (isPlain(message) ? 1 : 2) + BESIDES, BESIDES);

/**
 * The messages of topics as they stand in answers to pulls. Those pulled lately are remembered, for other subscriptions and for pulls without
 * an acknowledgement; but none is given out before the log has said that it may still be read.
 */
export class WireMessages implements MessagePages<WireMessage> {
  private readonly pieces = new LRUCache<string, Piece>({ maxSize: REMEMBERED, sizeCalculation: memoryOf });

  constructor(private readonly log: Pick<MessageLog, 'page'>) {}

  /** The log may be another one: what it holds at an offset has to be read again. */
  forget(): void {
    this.pieces.clear();
  }

  async page(topicId: string, from: number, limit: number, maxBytes = Number.POSITIVE_INFINITY): Promise<readonly WireMessage[]> {
    const known = this.known(topicId, from, limit);
    const page = known.length > 0 ? await this.completed(topicId, from, { limit, maxBytes }, known) : undefined;
    // In the log a message takes less than twice the bytes of its text. Where that may be too many, the log decides which one is the last.
    if (page && 2 * page.reduce((sum, { size }) => sum + size, 0) < maxBytes) return page;
    return this.read(topicId, from, limit, maxBytes);
  }

  /** Remembered messages from an offset on, up to the first that is not. */
  private known(topicId: string, from: number, limit: number): readonly WireMessage[] {
    const known: WireMessage[] = [];
    let piece: Piece | undefined;
    for (let offset = from; offset < from + limit; offset++) {
      if (offset === from || offset % TOGETHER === 0) piece = this.pieces.get(keyOf(topicId, offset));
      const message = piece?.[offset % TOGETHER];
      if (!message) break;
      known.push(message);
    }
    return known;
  }

  /** With what the log has after them; nothing when the first of them, or of the others, has expired. */
  private async completed(
    topicId: string,
    from: number,
    { limit, maxBytes }: Readonly<{ limit: number; maxBytes: number }>,
    known: readonly WireMessage[],
  ): Promise<readonly WireMessage[] | undefined> {
    const next = from + known.length;
    const [[first], others] = await Promise.all([
      this.log.page(topicId, from, 1),
      known.length < limit ? this.read(topicId, next, limit - known.length, maxBytes) : [],
    ]);
    const readable = first?.offset === from && (others[0]?.offset ?? next) === next;
    return readable ? [...known, ...others] : undefined;
  }

  private async read(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly WireMessage[]> {
    const messages = (await this.log.page(topicId, from, limit, maxBytes)).map(wireMessage);
    this.remember(topicId, messages);
    return messages;
  }

  /** They follow one another. */
  private remember(topicId: string, messages: readonly WireMessage[]): void {
    const [first] = messages;
    if (!first) return;
    const key = keyOf(topicId, first.offset);
    const piece = this.pieces.get(key)?.slice() ?? [];
    const room = TOGETHER - (first.offset % TOGETHER);
    for (const message of messages.slice(0, room)) if (message.size <= LONGEST) piece[message.offset % TOGETHER] = message;
    this.pieces.set(key, piece);
    this.remember(topicId, messages.slice(room));
  }
}
