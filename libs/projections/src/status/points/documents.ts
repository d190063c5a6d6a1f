import { collection } from '#projections/shared/collection.js';
import { type Headed, headedCodec } from '#projections/shared/headed.js';
import { keyOf } from '#projections/shared/key-part.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const POINTS = 'status.points';

/**
 * `[index, at, status, actual data?]`: place among the results of its event, second of the day, and what else the point says. What is empty is left
 * out at the end.
 */
export type StoredPoint = readonly [index: number, at: number, status: string, actualData?: string];

/** Points of one event that share metric, report, group and monitoring host. `position`: of the event, decimal; the last three are empty if not given. */
export type StoredRun = readonly [
  position: string,
  metric: string,
  points: readonly StoredPoint[],
  report?: string,
  group?: string,
  monitoringHost?: string,
];

/** `stamp`: place in the log of the last point of the chunk, as `sequenceOf` gives it. */
export type ChunkHead = Readonly<{ stamp: string; host: string; service: string }>;

/** Points of an endpoint on a day in the order of the log. The body is a list of {@link StoredRun} without its brackets, so it grows without being parsed. */
export type Chunk = Headed<ChunkHead, string>;

/** A chunk that would become longer, in UTF-16 units, is closed. A single event may be longer. */
export const CHUNK_LENGTH = 2_048;

/** Part of the key of the chunk that takes new points; sorts behind those of closed ones, which are their stamps. */
export const OPEN = 'open';

type OfDay = Readonly<{ tenantId: string; day: string }>;

/**
 * A point costs the same however many its endpoint has already: it is added to the open chunk, which is closed when it is full.
 * `touched` has one document for each endpoint of the day, under the stamp of its last point.
 */
export const pointCollections = {
  chunks: collection<Chunk, OfDay & Readonly<{ host: string; service: string; part: string }>>('chunks', {
    key: ({ tenantId, day, host, service, part }) => keyOf(tenantId, day, host, service, part),
    codec: headedCodec(String, (text) => text),
    owner: tenantFirst,
  }),
  touched: collection<Readonly<{ host: string; service: string }>, OfDay & Readonly<{ stamp: string }>>('touched', {
    key: ({ tenantId, day, stamp }) => keyOf(tenantId, day, stamp),
    owner: tenantFirst,
  }),
  days: collection<Readonly<{ stamp: string }>, OfDay>('days', { key: ({ tenantId, day }) => keyOf(tenantId, day), owner: tenantFirst }),
} as const;
