import { checksumOf } from '#domain/shared/bytes/compression.js';

/** Number of buckets of a day of a tenant without points on the days before. */
const BUCKETS_AT_FIRST = 64;
const FEWEST_BUCKETS = 4;
export const MOST_BUCKETS = 1_024;
/** Points of a bucket and day, if hosts are spread evenly: few enough to read all of them for one host. */
const POINTS_OF_BUCKET = 5_000;

/** The number of buckets of a day, a power of two. @param before the numbers of points of the days before, as far as there are any */
export const bucketsFor = (before: readonly number[]): number => {
  if (before.length === 0) return BUCKETS_AT_FIRST;
  const wanted = Math.max(...before) / POINTS_OF_BUCKET;
  let buckets = FEWEST_BUCKETS;
  while (buckets < wanted && buckets < MOST_BUCKETS) buckets *= 2;
  return buckets;
};

/** A checksum of both texts, mixed, so that its last bits depend on all characters. It must not change: documents are stored by it. */
const hashOf = (tenantId: string, host: string): number => {
  let hash = checksumOf(tenantId, host);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** The bucket of a host among a number of buckets. With twice as many, its number is the same, or greater by half of them. */
export const bucketOf = (tenantId: string, host: string, buckets: number): number => hashOf(tenantId, host) % buckets;

/** The buckets of another day that have the hosts of this bucket, if the day has another number of buckets. */
export const bucketsLike = (bucket: number, buckets: number, others: number): readonly number[] => {
  if (others <= buckets) return [bucket % others];
  return Array.from({ length: others / buckets }, (_, index) => bucket + index * buckets);
};
