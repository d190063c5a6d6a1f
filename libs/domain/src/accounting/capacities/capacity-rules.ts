import { requireRoom } from '#domain/accounting/limits.js';
import type { Instant } from '#domain/accounting/metrics/instants.js';
import { type Decider, DomainError } from '#domain/shared/decider.js';
import type { CapacityEvent } from './capacity-events.js';

type Registered = Extract<CapacityEvent, { type: 'CapacityRegistered' }>['data'];

export type CapacityCommand =
  | (Readonly<{ type: 'RegisterCapacity' }> & Registered)
  /** `null` leaves a member unchanged. */
  | Readonly<{ type: 'ReviseCapacity'; capacityId: string; value: string | null; registeredOn: Instant | null }>;

/** `ids`: capacity id by definition and the instant from which it is valid. */
type CapacitiesState = Readonly<{ capacities: Map<string, Registered>; ids: Map<string, string> }>;

const placeOf = ({ definitionId, registeredOn }: Pick<Registered, 'definitionId' | 'registeredOn'>): string =>
  `${definitionId}/${registeredOn}`;

const requireFree = ({ ids }: CapacitiesState, capacity: Registered): void => {
  const holder = ids.get(placeOf(capacity));
  if (holder !== undefined && holder !== capacity.capacityId) throw new DomainError('CAPACITY_TAKEN');
};

const keep = (state: CapacitiesState, capacity: Registered): CapacitiesState => {
  const before = state.capacities.get(capacity.capacityId);
  if (before) state.ids.delete(placeOf(before));
  state.capacities.set(capacity.capacityId, capacity);
  state.ids.set(placeOf(capacity), capacity.capacityId);
  return state;
};

const registeredOf = ({ projectId, installationId, capacityId, definitionId, value, registeredOn }: Registered): Registered => ({
  projectId,
  installationId,
  capacityId,
  definitionId,
  value,
  registeredOn,
});

/** The rules of an installation's capacities (accounting contract 7). Rejects with `CAPACITY_NOT_FOUND`, `CAPACITY_TAKEN` or `OVER_LIMIT`. */
export const capacities: Decider<CapacitiesState, CapacityCommand, CapacityEvent> = {
  snapshots: { name: 'capacities', version: 1 },
  initialState: () => ({ capacities: new Map(), ids: new Map() }),
  decide: (command, state) => {
    if (command.type === 'RegisterCapacity') {
      const capacity = registeredOf(command);
      requireFree(state, capacity);
      requireRoom('capacitiesPerInstallation', state.capacities.size);
      return [{ type: 'CapacityRegistered', data: capacity }];
    }
    const { capacityId } = command;
    const before = state.capacities.get(capacityId);
    if (!before) throw new DomainError('CAPACITY_NOT_FOUND', { capacityId });
    const { projectId, installationId } = before;
    const { value, registeredOn } = { value: command.value ?? before.value, registeredOn: command.registeredOn ?? before.registeredOn };
    requireFree(state, { ...before, registeredOn });
    if (value === before.value && registeredOn === before.registeredOn) return [];
    return [{ type: 'CapacityRevised', data: { projectId, installationId, capacityId, value, registeredOn } }];
  },
  evolve: (state, event) => {
    if (event.type === 'CapacityRegistered') return keep(state, registeredOf(event.data));
    const before = state.capacities.get(event.data.capacityId);
    const { value, registeredOn } = event.data;
    return before ? keep(state, { ...before, value, registeredOn }) : state;
  },
};
