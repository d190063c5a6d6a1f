import { LRUCache } from 'lru-cache';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import type { MessageSource } from './message-log.js';
import { isPlain, type WireMessage, wireMessage } from './message-texts.js';

/** Size of the cache, and the approximate overhead of each message. */
const CACHE_BYTES = 16 * 1024 * 1024;
const ENTRY_BYTES = 100;
/** Longer texts are not cached, because they would evict too many others. */
const LONGEST_BYTES = 256 * 1024;
/** Messages of one entry: a lookup for each would cost as much as the rest of the answer. */
const BLOCK_SIZE = 64;

/** Messages of a topic, each at its offset modulo {@link BLOCK_SIZE}; some places may be empty. */
type Block = readonly WireMessage[];

const keyOf = (topicId: string, offset: number): string => `${topicId}:${Math.floor(offset / BLOCK_SIZE)}`;

const memoryOf = (block: Block): number =>
  block.reduce((sum, message) => sum + message.text.length * (isPlain(message) ? 1 : 2) + ENTRY_BYTES, ENTRY_BYTES);

/**
 * Messages of topics in the form of answers to pulls. The latest are cached, for other subscriptions and for pulls without an
 * acknowledgement. A cached message is delivered only after the log has confirmed that it may still be read.
 */
export class WireMessageCache implements MessageSource<WireMessage> {
  private readonly blocks = new LRUCache<string, Block>({ maxSize: CACHE_BYTES, sizeCalculation: memoryOf });

  constructor(private readonly log: MessageSource<StoredMessage>) {}

  /** The log may have been replaced: its offsets have to be read again. */
  clear(): void {
    this.blocks.clear();
  }

  async page(topicId: string, from: number, limit: number, maxBytes = Number.POSITIVE_INFINITY): Promise<readonly WireMessage[]> {
    const cached = this.cached(topicId, from, limit);
    const page = cached.length > 0 ? await this.completed(topicId, from, { limit, maxBytes }, cached) : undefined;
    // In the log a message takes less than twice the bytes of its text. If that may exceed `maxBytes`, the log decides which one is the
    // last.
    if (page && 2 * page.reduce((sum, { size }) => sum + size, 0) < maxBytes) return page;
    return this.read(topicId, from, limit, maxBytes);
  }

  /** Cached messages from an offset on, up to the first that is missing. */
  private cached(topicId: string, from: number, limit: number): readonly WireMessage[] {
    const cached: WireMessage[] = [];
    let block: Block | undefined;
    for (let offset = from; offset < from + limit; offset++) {
      if (offset === from || offset % BLOCK_SIZE === 0) block = this.blocks.get(keyOf(topicId, offset));
      const message = block?.[offset % BLOCK_SIZE];
      if (!message) break;
      cached.push(message);
    }
    return cached;
  }

  /** Cached messages followed by those of the log; `undefined` if the first of either has expired. */
  private async completed(
    topicId: string,
    from: number,
    { limit, maxBytes }: Readonly<{ limit: number; maxBytes: number }>,
    cached: readonly WireMessage[],
  ): Promise<readonly WireMessage[] | undefined> {
    const next = from + cached.length;
    const [[first], others] = await Promise.all([
      this.log.page(topicId, from, 1),
      cached.length < limit ? this.read(topicId, next, limit - cached.length, maxBytes) : [],
    ]);
    const readable = first?.offset === from && (others[0]?.offset ?? next) === next;
    return readable ? [...cached, ...others] : undefined;
  }

  private async read(topicId: string, from: number, limit: number, maxBytes: number): Promise<readonly WireMessage[]> {
    const messages = (await this.log.page(topicId, from, limit, maxBytes)).map(wireMessage);
    this.store(topicId, messages);
    return messages;
  }

  /** @param messages with consecutive offsets */
  private store(topicId: string, messages: readonly WireMessage[]): void {
    const [first] = messages;
    if (!first) return;
    const key = keyOf(topicId, first.offset);
    const block = this.blocks.get(key)?.slice() ?? [];
    const room = BLOCK_SIZE - (first.offset % BLOCK_SIZE);
    for (const message of messages.slice(0, room)) if (message.size <= LONGEST_BYTES) block[message.offset % BLOCK_SIZE] = message;
    this.blocks.set(key, block);
    this.store(topicId, messages.slice(room));
  }
}
