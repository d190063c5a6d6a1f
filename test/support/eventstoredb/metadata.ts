import type { StoredEvent } from './stored-event.js';

/** Members of the metadata of a stream that affect reads of it. */
export type StreamMetadata = Readonly<{ maxCount?: number; maxAgeSeconds?: number; truncateBefore?: number }>;

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
  const { $maxCount, $maxAge, $tb } = parseObject(decoder.decode(data));
  return { maxCount: numberOf($maxCount), maxAgeSeconds: numberOf($maxAge), truncateBefore: numberOf($tb) };
};

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
