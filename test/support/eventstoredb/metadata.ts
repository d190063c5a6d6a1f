import type { StoredEvent } from './stored-event.js';

/** What the metadata of a stream say about reading it, and all of them as they were written. */
export type StreamMetadata = Readonly<{
  raw: Readonly<Record<string, unknown>>;
  maxCount?: number;
  maxAgeSeconds?: number;
  truncateBefore?: number;
}>;

/** `first` and `next` are revisions; events before `first` are out of sight. */
export type Readable =
  | Readonly<{ kind: 'tombstoned'; marker: StoredEvent }>
  | Readonly<{ kind: 'missing'; next: number }>
  | Readonly<{ kind: 'events'; events: readonly StoredEvent[]; first: number }>;

/** `$tb` of a soft-deleted stream: the largest int64. */
export const SOFT_DELETED = 2n ** 63n - 1n;

const decoder = new TextDecoder();

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

/** Content is not checked when written; what is not understood has no effect. */
export const parseMetadata = (data: Uint8Array): StreamMetadata => {
  const raw = parseObject(decoder.decode(data));
  return { raw, maxCount: numberOf(raw.$maxCount), maxAgeSeconds: numberOf(raw.$maxAge), truncateBefore: numberOf(raw.$tb) };
};

export const isSoftDeleted = ({ truncateBefore }: StreamMetadata): boolean => truncateBefore === Number(SOFT_DELETED);

/** The first revision that retention leaves in sight; the number of events when it leaves none. `now` in ms since 1970 UTC. */
export const readableFrom = (events: readonly StoredEvent[], metadata: StreamMetadata, now: number): number => {
  const { maxCount, maxAgeSeconds, truncateBefore = 0 } = metadata;
  const kept = maxCount === undefined ? 0 : events.length - maxCount;
  const first = Math.min(Math.max(truncateBefore, kept, 0), events.length);
  if (maxAgeSeconds === undefined) return first;
  const oldest = BigInt(Math.round(now - maxAgeSeconds * 1000)) * 10_000n;
  let young = first;
  while (young < events.length && events[young]!.created < oldest) young++;
  return young;
};
