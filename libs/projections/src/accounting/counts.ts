import { ACCESS_CATEGORY, type AccessEvent } from '#domain/accounting/access-events.js';
import { CATALOGUE_CATEGORY, type CatalogueEvent } from '#domain/accounting/catalogue-events.js';
import { madeAt } from '#domain/accounting/object-id.js';
import { DEFINITIONS_CATEGORY, type DefinitionEvent, METRIC_CATEGORY, type MetricEvent } from '#domain/accounting/usage-events.js';
import { type Day, dayOf } from '#domain/shared/time.js';
import { defineProjection } from '../shared/define.js';
import { keyOf } from '../shared/key-part.js';
import {
  type DocumentChange,
  type DocumentKey,
  type Projection,
  put,
  type ReadDocument,
  remove,
  removePrefix,
} from '../shared/projection.js';

export const COUNTS_PROJECTION = 'accounting.counts';

/** Records by the day on which they were made; those that were deleted do not count. */
export const countCollections = {
  /** Day → how many clients were registered. */
  actors: 'actors',
  /** Day → how many metric definitions. */
  definitions: 'definitions',
  /** `<project>/<day>` → how many metrics. */
  metrics: 'metrics',
} as const;

/** `<project>/<day>` */
export const metricCountKey = (projectId: string, day: Day): string => keyOf(projectId, day);
/** The day in such a key. */
export const dayInKey = (key: string): Day => key.slice(-10);

type CountedEvent = AccessEvent | CatalogueEvent | DefinitionEvent | MetricEvent;

const dayMade = (id: string): Day => dayOf(new Date(madeAt(id)).toISOString());

const { actors, definitions, metrics } = countCollections;
const ofDefinition = (id: string): DocumentKey => ({ collection: definitions, key: dayMade(id) });
const ofMetric = (metricId: string, projectId: string): DocumentKey => ({
  collection: metrics,
  key: metricCountKey(projectId, dayMade(metricId)),
});

/** Never below zero: the metrics of a deleted project are no longer counted, whatever still happens to them. */
const count = (read: ReadDocument, { collection, key }: DocumentKey, by: 1 | -1): DocumentChange[] => {
  const after = Number(read(collection, key) ?? 0) + by;
  return [after > 0 ? put(collection, key, after) : remove(collection, key)];
};

/** How many clients, metric definitions and metrics there are of each day (accounting contract 3.11). */
export const countsProjection: Projection = defineProjection<CountedEvent>({
  name: COUNTS_PROJECTION,
  version: 1,
  service: 'accounting',
  categories: [ACCESS_CATEGORY, CATALOGUE_CATEGORY, DEFINITIONS_CATEGORY, METRIC_CATEGORY],
  handles: ['ClientRegistered', 'MetricDefinitionCreated', 'MetricDefinitionDeleted', 'MetricRecorded', 'MetricRemoved', 'ProjectDeleted'],
  reads: (event) => {
    switch (event.type) {
      case 'ClientRegistered':
        return [{ collection: actors, key: dayOf(event.metadata.time) }];
      case 'MetricDefinitionCreated':
      case 'MetricDefinitionDeleted':
        return [ofDefinition(event.data.definitionId)];
      case 'MetricRecorded':
      case 'MetricRemoved':
        return [ofMetric(event.data.metricId, event.data.projectId)];
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
      case 'MetricRecorded':
        return count(read, ofMetric(event.data.metricId, event.data.projectId), 1);
      case 'MetricRemoved':
        return count(read, ofMetric(event.data.metricId, event.data.projectId), -1);
      case 'ProjectDeleted':
        return [removePrefix(metrics, `${keyOf(event.data.projectId)}/`)];
      default:
        return [];
    }
  },
});
