import { collection } from '#projections/shared/collection.js';
import { keyOf } from '#projections/shared/key-part.js';
import { textCodec } from '#projections/shared/projection.js';
import { tenantFirst } from '#projections/status/partitions.js';
import type { PointSet } from './point-set.js';

/** Name of the read model. */
export const RESULTS = 'status.results';

export type OfDay = Readonly<{ tenantId: string; day: string }>;

/** The points of some hosts of a day. Hosts are spread over the buckets of a day by a hash of their names. */
export type OfBucket = OfDay & Readonly<{ bucket: number }>;

/**
 * A day with points. `buckets`: their number, a power of two that never changes. `first`: position of the first point. `stamp`: of the last point in
 * the log. `common`: position of the first point without a report.
 */
export type DayDocument = Readonly<{ buckets: number; points: number; first: number; stamp: string; common?: number }>;

/**
 * A closed part, or several neighbouring ones (`parts`). `at`: greatest second of the day. `last`: greatest position. `statuses`: each with its
 * greatest second. `reports`: each pair of report (0: none) and group. Both are 0 if there are too many, or they are too long.
 */
export type PartSummary = Readonly<{
  parts: number;
  at: number;
  last: number;
  statuses: readonly (readonly [status: string, at: number])[] | 0;
  reports: readonly (readonly [report: string | 0, group: string])[] | 0;
}>;

/** The closed parts of a bucket, in order. */
export type BucketHead = readonly PartSummary[];

/** Maximum statuses or reports in a summary. */
const MOST_NAMES = 16;
/** Maximum length of either as JSON: a result may have texts of several MiB, and each part of a bucket repeats them in its head. */
const MOST_NAMES_LENGTH = 4_096;
/** Number of summaries at which neighbours are merged. */
const MOST_SUMMARIES = 128;

const few = <Item>(items: readonly Item[]): readonly Item[] | 0 =>
  items.length > MOST_NAMES || JSON.stringify(items).length > MOST_NAMES_LENGTH ? 0 : items;

export const summaryOf = ({ points }: PointSet): PartSummary => {
  let [last, greatest] = [0, 0];
  const statuses = new Map<string, number>();
  const reports = new Map<string, readonly [string | 0, string]>();
  for (const { at, position, status, series } of points) {
    last = Math.max(last, position);
    greatest = Math.max(greatest, at);
    statuses.set(status, Math.max(at, statuses.get(status) ?? 0));
    const { report = 0, group } = series;
    reports.set(JSON.stringify([report, group]), [report, group]);
  }
  return { parts: 1, at: greatest, last, statuses: few([...statuses]), reports: few([...reports.values()]) };
};

const merged = (one: PartSummary, other: PartSummary): PartSummary => {
  const statuses = new Map(one.statuses || []);
  for (const [status, at] of other.statuses || []) statuses.set(status, Math.max(at, statuses.get(status) ?? 0));
  const reports = new Map([...(one.reports || []), ...(other.reports || [])].map((pair) => [JSON.stringify(pair), pair]));
  return {
    parts: one.parts + other.parts,
    at: Math.max(one.at, other.at),
    last: Math.max(one.last, other.last),
    statuses: one.statuses && other.statuses && few([...statuses]),
    reports: one.reports && other.reports && few([...reports.values()]),
  };
};

/** The head after one more closed part. Its length is bounded, because neighbours share a summary once there are many. */
export const withPart = (head: BucketHead, summary: PartSummary): BucketHead => {
  const all = [...head, summary];
  if (all.length <= MOST_SUMMARIES) return all;
  const pairs: PartSummary[] = [];
  for (let index = 0; index < all.length; index += 2) {
    const [one, other] = [all[index] as PartSummary, all[index + 1]];
    pairs.push(other ? merged(one, other) : one);
  }
  return pairs;
};

export const partsIn = (head: BucketHead): number => head.reduce((sum, { parts }) => sum + parts, 0);

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** `buckets`: of each bucket its head, as JSON, and the rows of its open part, which are only appended to. One read shows both as they belong together. */
export const resultCollections = {
  buckets: collection<string, OfBucket & Readonly<{ part: 'head' | 'rows' }>>('buckets', {
    key: ({ tenantId, day, bucket, part }) => keyOf(tenantId, day, padded(bucket, 4), part),
    codec: textCodec,
    owner: tenantFirst,
  }),
  parts: collection<Buffer, OfBucket & Readonly<{ part: number }>>('parts', {
    key: ({ tenantId, day, bucket, part }) => keyOf(tenantId, day, padded(bucket, 4), padded(part, 6)),
    bytes: true,
    owner: tenantFirst,
  }),
  texts: collection<Buffer, OfBucket & Readonly<{ part: number }>>('texts', {
    key: ({ tenantId, day, bucket, part }) => keyOf(tenantId, day, padded(bucket, 4), padded(part, 6)),
    bytes: true,
    owner: tenantFirst,
  }),
  days: collection<DayDocument, OfDay>('days', { key: ({ tenantId, day }) => keyOf(tenantId, day), owner: tenantFirst }),
  gone: collection<Readonly<{ position: number }>, string>('gone', { owner: tenantFirst }),
} as const;
