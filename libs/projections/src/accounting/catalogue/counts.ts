import { ACCESS_CATEGORY, type AccessEvent } from '#domain/accounting/access/access-events.js';
import { DEFINITIONS_CATEGORY, type DefinitionEvent } from '#domain/accounting/metrics/usage-events.js';
import { dayMade } from '#domain/accounting/object-id.js';
import { dayOf } from '#domain/shared/time.js';
import { ofAccessEvent, ofDefinitionEvent } from '#projections/accounting/partitions.js';
import { defineProjection } from '#projections/shared/define.js';
import { ownedBy, SHARED } from '#projections/shared/partitions.js';
import { type DocumentChange, type DocumentKey, type Projection, put, type ReadDocument, remove } from '#projections/shared/projection.js';

export const COUNTS_PROJECTION = 'accounting.counts';

/** Records by the day on which they were made; those that were deleted do not count. Metrics are counted with the usage. */
export const countCollections = {
  /** Day → how many clients were registered. */
  actors: 'actors',
  /** Day → how many metric definitions. */
  definitions: 'definitions',
} as const;

type CountedEvent = AccessEvent | DefinitionEvent;

const { actors, definitions } = countCollections;
const ofDefinition = (id: string): DocumentKey => ({ collection: definitions, key: dayMade(id) });

const count = (read: ReadDocument, { collection, key }: DocumentKey, by: 1 | -1): DocumentChange[] => {
  const after = Number(read(collection, key) ?? 0) + by;
  return [after > 0 ? put(collection, key, after) : remove(collection, key)];
};

/** How many clients and metric definitions there are of each day (accounting contract 3.11). */
export const countsProjection: Projection = defineProjection<CountedEvent>({
  name: COUNTS_PROJECTION,
  version: 2,
  service: 'accounting',
  categories: [ACCESS_CATEGORY, DEFINITIONS_CATEGORY],
  handles: ['ClientRegistered', 'MetricDefinitionCreated', 'MetricDefinitionDeleted'],
  partitions: {
    ofEvent: (event) => [...ofAccessEvent(event), ...ofDefinitionEvent(event)].slice(0, 1),
    owners: ownedBy(SHARED, [actors, definitions]),
  },
  reads: (event) => {
    switch (event.type) {
      case 'ClientRegistered':
        return [{ collection: actors, key: dayOf(event.metadata.time) }];
      case 'MetricDefinitionCreated':
      case 'MetricDefinitionDeleted':
        return [ofDefinition(event.data.definitionId)];
      default:
        return [];
    }
  },
  apply: (event, read) => {
    switch (event.type) {
      case 'ClientRegistered':
        return count(read, { collection: actors, key: dayOf(event.metadata.time) }, 1);
      case 'MetricDefinitionCreated':
        return count(read, ofDefinition(event.data.definitionId), 1);
      case 'MetricDefinitionDeleted':
        return count(read, ofDefinition(event.data.definitionId), -1);
      default:
        return [];
    }
  },
});
