import { HEALTH_CATEGORY, type HealthEvent } from '#domain/status/health/health.js';
import { type EventOf, reading, readModel } from '#projections/shared/read-model.js';
import { HEALTH, HEALTH_PARTITION, healthCollections } from './documents.js';

const { records } = healthCollections;

type On<Type extends HealthEvent['type']> = EventOf<Extract<HealthEvent, { type: Type }>>;

/** The last check and acknowledgement of the installation's health. */
export const healthProjection = readModel<HealthEvent>(
  {
    name: HEALTH,
    version: 1,
    service: 'status',
    categories: [HEALTH_CATEGORY],
    collections: Object.values(healthCollections),
    partitionsOf: () => [HEALTH_PARTITION],
  },
  {
    ConsistencyChecked: reading(
      (_event: On<'ConsistencyChecked'>) => ({ before: records.at('global') }),
      ({ data: { status, message }, metadata }, { before }) => [
        records.put('global', { ...before, check: { status, message, at: metadata.time } }),
      ],
    ),
    ConsistencyAcknowledged: reading(
      (_event: On<'ConsistencyAcknowledged'>) => ({ before: records.at('global') }),
      ({ data: { status, message, timeoutHours }, metadata }, { before }) =>
        before ? [records.put('global', { ...before, acknowledgement: { status, message, at: metadata.time, timeoutHours } })] : [],
    ),
  },
);
