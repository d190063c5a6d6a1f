import { ACCESS_CATEGORY, type AccessEvent } from '#domain/accounting/access/access-events.js';
import { DEFINITIONS_CATEGORY, type DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import { dayMade } from '#domain/accounting/object-id.js';
import { dayOf } from '#domain/shared/time.js';
import { ofAccessEvent, ofDefinitionEvent } from '#projections/accounting/partitions.js';
import type { Collection } from '#projections/shared/collection.js';
import type { DocumentChange } from '#projections/shared/projection.js';
import { type EventOf, type Handler, reading, readModel } from '#projections/shared/read-model.js';
import { COUNTS, clients, countCollections, definitions } from './documents.js';

type Counted = Extract<AccessEvent | DefinitionEvent, { type: 'ClientRegistered' | 'MetricDefinitionCreated' | 'MetricDefinitionDeleted' }>;
type Event<Type extends Counted['type']> = EventOf<Extract<Counted, { type: Type }>>;

/** Adds to the count of a day. A count that falls to zero is removed. */
const counting = <E>(days: Collection<number>, dayIn: (event: E) => string, by: 1 | -1): Handler<E> =>
  reading(
    (event: E) => ({ count: days.at(dayIn(event)) }),
    (event, { count = 0 }): readonly DocumentChange[] => {
      const after = count + by;
      return [after > 0 ? days.put(dayIn(event), after) : days.remove(dayIn(event))];
    },
  );

const registeredOn = ({ metadata }: Event<'ClientRegistered'>): string => dayOf(metadata.time);
const createdOn = ({ data }: Event<'MetricDefinitionCreated' | 'MetricDefinitionDeleted'>): string => dayMade(data.definitionId);

/** Numbers of clients and metric definitions per day (accounting contract 3.11). */
export const countsProjection = readModel<Counted>(
  {
    name: COUNTS,
    version: 2,
    service: 'accounting',
    categories: [ACCESS_CATEGORY, DEFINITIONS_CATEGORY],
    collections: countCollections,
    partitionsOf: (event) => [...ofAccessEvent(event), ...ofDefinitionEvent(event)].slice(0, 1),
  },
  {
    ClientRegistered: counting(clients, registeredOn, 1),
    MetricDefinitionCreated: counting(definitions, createdOn, 1),
    MetricDefinitionDeleted: counting(definitions, createdOn, -1),
  },
);
