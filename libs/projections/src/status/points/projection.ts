import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { dayOf, secondOfDay } from '#domain/shared/time.js';
import { METRIC_DATA_CATEGORY, type MetricResult, type MetricResultsRecorded } from '#domain/status/metric-data/metric-data.js';
import { TENANTS_CATEGORY, type TenantDeleted } from '#domain/status/tenants/tenants.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { tenantPartitionsOf } from '#projections/status/partitions.js';
import { sequenceOf } from '#projections/status/sequence.js';
import { CHUNK_LENGTH, type Chunk, OPEN, POINTS, pointCollections, type StoredPoint } from './documents.js';

const { chunks, touched, days } = pointCollections;

type Recorded = EventOf<MetricResultsRecorded>;

/** The chunk that receives the points of an endpoint and day, and their indexes in the event. */
type Part = DocumentRef<Chunk> & Readonly<{ day: string; host: string; service: string; indexes: number[] }>;

/** The parts of an event, in the order of the event. */
const partsOf = ({ data: { tenantId, results } }: Recorded): readonly Part[] => {
  const parts = new Map<string, Part>();
  for (const [index, { host, timestamp, service }] of results.entries()) {
    const day = dayOf(timestamp);
    const name = JSON.stringify([day, host, service]);
    const begin = (): Part => ({ ...chunks.at({ tenantId, day, host, service, part: OPEN }), day, host, service, indexes: [] });
    getOrInsert(parts, name, begin).indexes.push(index);
  }
  return [...parts.values()];
};

/** Members that the points of a run share, without empty ones at the end. */
const shared = ({ report = '', endpoint_group, monitoring_host = '' }: MetricResult): readonly string[] => {
  if (monitoring_host !== '') return [report, endpoint_group, monitoring_host];
  if (endpoint_group !== '') return [report, endpoint_group];
  return report === '' ? [] : [report];
};

const pointOf = (index: number, { timestamp, status, actual_data }: MetricResult): StoredPoint => {
  const at = secondOfDay(timestamp);
  return actual_data === undefined ? [index, at, status] : [index, at, status, actual_data];
};

/** The points of a part in the format of a chunk's body. */
const textOf = ({ indexes }: Part, { position, data: { results } }: Recorded): string => {
  const runs = new Map<string, Readonly<{ metric: string; points: StoredPoint[]; members: readonly string[] }>>();
  for (const index of indexes) {
    const result = results[index];
    if (!result) continue;
    const { metric } = result;
    const members = shared(result);
    const name = JSON.stringify([metric, ...members]);
    const run = runs.get(name) ?? { metric, points: [], members };
    runs.set(name, run);
    run.points.push(pointOf(index, result));
  }
  const stored = Array.from(runs.values(), ({ metric, points, members }) => JSON.stringify([String(position), metric, points, ...members]));
  return stored.join(',');
};

const chunkChanges = (event: Recorded, part: Part, stored: Chunk | undefined): readonly DocumentChange[] => {
  const { tenantId } = event.data;
  const { day, host, service } = part;
  const stamp = sequenceOf(event.position, part.indexes.at(-1) ?? 0);
  const text = textOf(part, event);
  const head = { stamp, host, service };
  const changes = [touched.put({ tenantId, day, stamp }, { host, service })];
  if (!stored) return [...changes, chunks.putAt(part, { head, body: text })];
  changes.push(touched.remove({ tenantId, day, stamp: stored.head.stamp }));
  if (stored.body.length + text.length < CHUNK_LENGTH) return [...changes, chunks.putAt(part, { head, body: `${stored.body},${text}` })];
  const closed = chunks.put({ tenantId, day, host, service, part: stored.head.stamp }, stored);
  return [...changes, closed, chunks.putAt(part, { head, body: text })];
};

/** Updates the stamp of each day to its last point. */
const dayChanges = ({ position, data: { tenantId, results } }: Recorded): readonly DocumentChange[] => {
  const last = new Map(results.map(({ timestamp }, index) => [dayOf(timestamp), index]));
  return Array.from(last, ([day, index]) => days.put({ tenantId, day }, { stamp: sequenceOf(position, index) }));
};

/** The points of endpoints by day, for computed results. */
export const pointsProjection = readModel<MetricResultsRecorded | TenantDeleted>(
  {
    name: POINTS,
    version: 1,
    service: 'status',
    categories: [METRIC_DATA_CATEGORY, TENANTS_CATEGORY],
    collections: Object.values(pointCollections),
    partitionsOf: tenantPartitionsOf([METRIC_DATA_CATEGORY]),
  },
  {
    MetricResultsRecorded: reading(
      (event: Recorded) => ({ parts: partsOf(event) }),
      (event, { parts: chunk }, { parts }) => [...dayChanges(event), ...parts.flatMap((part, at) => chunkChanges(event, part, chunk[at]))],
    ),
    TenantDeleted: ({ data }) => Object.values(pointCollections).map((one) => one.removeUnder(`${data.tenantId}/`)),
  },
);
