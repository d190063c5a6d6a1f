import { collection } from '#projections/shared/collection.js';
import { type Headed, headedCodec } from '#projections/shared/headed.js';
import { keyOf } from '#projections/shared/key-part.js';
import { tenantFirst } from '#projections/status/partitions.js';

/** Name of the read model. */
export const POINTS = 'status.points';

/** `[index, at, status, actual data?]`: index among the results of its event, second of the day, status, and actual data if not empty. */
export type StoredPoint = readonly [index: number, at: number, status: string, actualData?: string];

/** Points of one event with the same metric, report, group and monitoring host. `position`: of the event, decimal. The last three may be empty. */
export type StoredRun = readonly [
  position: string,
  metric: string,
  points: readonly StoredPoint[],
  report?: string,
  group?: string,
  monitoringHost?: string,
];

/** `stamp`: position of the chunk's last point in the log, in the format of `sequenceOf`. */
export type ChunkHead = Readonly<{ stamp: string; host: string; service: string }>;

/** Points of an endpoint on a day in log order. The body is a list of {@link StoredRun} without brackets, so that it is extended without parsing. */
export type Chunk = Headed<ChunkHead, string>;

/** Maximum length of a chunk in UTF-16 units. A chunk that would exceed it is closed. A single event may be longer. */
export const CHUNK_LENGTH = 2_048;

/** Part of the key of the chunk that receives new points. It sorts after those of closed chunks, which are their stamps. */
export const OPEN = 'open';

type OfDay = Readonly<{ tenantId: string; day: string }>;

/**
 * The cost of a point does not depend on the number of points of its endpoint: it is appended to the open chunk, which is closed when it is full.
 * `touched` has one document per endpoint of the day, keyed by the stamp of its last point.
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
