import type { CapacityEvent } from '#domain/accounting/capacities/capacity-events.js';
import { installations } from '#projections/accounting/metrics/documents.js';
import { type EventOf, type Handlers, reading } from '#projections/shared/read-model.js';
import type { CapacityDocument } from './codec.js';
import { capacities } from './documents.js';

type Registered = Extract<CapacityEvent, { type: 'CapacityRegistered' }>;
type Revised = Extract<CapacityEvent, { type: 'CapacityRevised' }>;

const documentOf = ({ capacityId, installationId, definitionId, value, registeredOn }: Registered['data']): CapacityDocument => ({
  id: capacityId,
  installation_id: installationId,
  metric_definition_id: definitionId,
  value,
  registered_on: registeredOn,
});

const known = ({ data }: Pick<EventOf<CapacityEvent>, 'data'>) => ({ installation: installations.at(data), list: capacities.at(data) });

/** Part of the read model of metrics. Capacities of installations that were deleted meanwhile are ignored. */
export const capacityHandlers: Handlers<CapacityEvent> = {
  CapacityRegistered: reading(
    (event: EventOf<Registered>) => known(event),
    ({ data }, { installation, list = [] }) => (installation ? [capacities.put(data, [...list, documentOf(data)])] : []),
  ),
  CapacityRevised: reading(
    (event: EventOf<Revised>) => known(event),
    ({ data }, { installation, list = [] }) => {
      if (!installation) return [];
      const { capacityId, value, registeredOn } = data;
      return [
        capacities.put(
          data,
          list.map((one) => (one.id === capacityId ? { ...one, value, registered_on: registeredOn } : one)),
        ),
      ];
    },
  ),
};
