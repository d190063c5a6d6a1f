import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MessageLog, textBytes } from '#api/messaging/messages/message-log.js';
import type { StoredMessage } from '#api/shared/messaging-client.js';
import { CLOCK } from '#api/shared/tokens.js';
import type { Selection } from '#domain/messaging/cursors/cursor.js';
import { type Attributes, type Filter, matches } from '#domain/messaging/filters/filter.js';
import { parseFilter } from '#domain/messaging/filters/parse-filter.js';
import type { Clock } from '#domain/shared/clock.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { KnownGaps } from './known-gaps.js';

/** Maximum number of selections whose gaps, and of filters whose parsed form, are cached. */
const MOST_KEPT = 1_000;
/** Maximum duration of a scan before it returns. */
const SCAN_MS = 600;
/** Messages of one read: few at first, because a match may be near; more while nothing matches, or much does. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 1_024;
const PAGE_BYTES = 1024 * 1024;

/** At most `limit` messages from an offset on, ending with the one that reaches `maxBytes` of text. */
type Wanted = Readonly<{ topicId: string; selection: Selection; from: number; limit: number; maxBytes?: number | undefined }>;

/** `found`: all selected messages from the first offset on up to `looked`, exclusive. */
type Scanned = Readonly<{ found: readonly StoredMessage[]; looked: number }>;

/** Between pages with some matches there are gaps to find. */
const nextSize = (size: number, matching: number): number =>
  matching === 0 || 4 * matching > size ? Math.min(4 * size, LARGEST_PAGE) : FIRST_PAGE;

const keyOf = (topicId: string, selection: Selection): string => `${topicId} ${JSON.stringify(selection)}`;

/**
 * Searches the logs of topics for the messages that a subscription selects, in slices. Ranges without a match are cached and read once,
 * however often and by whichever subscription they are requested.
 */
@Injectable()
export class MessageScanner {
  private readonly gaps = new LRUCache<string, KnownGaps>({ max: MOST_KEPT });
  private readonly filters = new LRUCache<string, Filter>({ max: MOST_KEPT });

  constructor(
    @Inject(MessageLog) private readonly log: Pick<MessageLog, 'page' | 'firstSince'>,
    @Inject(OffsetQueries) private readonly offsets: Pick<OffsetQueries, 'endAfter'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The log may have been replaced: cached gaps do not apply to it. */
  clear(): void {
    this.gaps.clear();
  }

  /** Returns whether a filter matches these attributes. Each expression is parsed once. */
  passes(filter: string, attributes: Attributes | undefined): boolean {
    const known = this.filters.get(filter);
    if (known) return matches(known, attributes);
    const parsed = parseFilter(filter);
    this.filters.set(filter, parsed);
    return matches(parsed, attributes);
  }

  /** The first offset from this one on that is in no cached gap. */
  passed(topicId: string, selection: Selection, offset: number): number {
    return this.gaps.get(keyOf(topicId, selection))?.after(offset) ?? offset;
  }

  /** Returns the matches found within some tenths of a second. */
  async scan({ topicId, selection, from, limit, maxBytes = Number.POSITIVE_INFINITY }: Wanted): Promise<Scanned> {
    const gaps = this.gapsOf(topicId, selection);
    const found: StoredMessage[] = [];
    const slice = new TimeSlice();
    const end = performance.now() + SCAN_MS;
    let bytes = 0;
    let size = FIRST_PAGE;
    let next = gaps.after(from);
    while (found.length < limit && bytes < maxBytes && performance.now() < end) {
      const page = await this.page(topicId, selection, next, gaps.before(next, size), gaps);
      if (page.length === 0) return { found, looked: gaps.after(next) };
      const matching = this.matching(page, selection, next, gaps);
      for (const message of matching) {
        if (found.length === limit || bytes >= maxBytes) return { found, looked: (found.at(-1)?.offset ?? from - 1) + 1 };
        found.push(message);
        bytes += textBytes(message);
      }
      size = nextSize(size, matching.length);
      next = gaps.after((page.at(-1)?.offset ?? next) + 1);
      if (slice.isOver) await slice.next();
    }
    return { found, looked: next };
  }

  private gapsOf(topicId: string, selection: Selection): KnownGaps {
    const key = keyOf(topicId, selection);
    return getOrInsert(this.gaps, key, () => new KnownGaps());
  }

  /** Messages from an offset on that are within retention. Empty at the head of the log. */
  private async page(
    topicId: string,
    { messageRetentionSeconds }: Selection,
    from: number,
    limit: number,
    gaps: KnownGaps,
  ): Promise<readonly StoredMessage[]> {
    const read = (offset: number) => this.log.page(topicId, offset, limit, PAGE_BYTES);
    const page = await read(from);
    const [first] = page;
    if (!first) {
      // The messages before the head have expired, unless some have just arrived.
      const head = await this.offsets.endAfter(topicId, from);
      const late = head > from ? await read(from) : [];
      if (late.length === 0) gaps.add(from, head);
      return late;
    }
    if (messageRetentionSeconds === undefined) return page;
    const since = new Date(this.clock() - messageRetentionSeconds * 1_000).toISOString();
    const isYoung = ({ publishTime }: StoredMessage): boolean => publishTime >= since;
    if (isYoung(first)) return page;
    if (page.some(isYoung)) return page.filter(isYoung);
    const end = await this.offsets.endAfter(topicId, (page.at(-1)?.offset ?? from) + 1); // before the search, which sees at least as much
    const young = (await this.log.firstSince(topicId, since)) ?? end;
    gaps.add(from, young);
    return (await read(young)).filter(isYoung);
  }

  /** Matching messages of a page. The ranges between them are cached as gaps. */
  private matching(page: readonly StoredMessage[], { filter }: Selection, from: number, gaps: KnownGaps): readonly StoredMessage[] {
    const found = filter === undefined ? page : page.filter(({ attributes }) => this.passes(filter, attributes));
    let next = from;
    for (const { offset } of found) {
      gaps.add(next, offset);
      next = offset + 1;
    }
    gaps.add(next, (page.at(-1)?.offset ?? from) + 1);
    return found;
  }
}
