import { record } from '#domain/accounting/record.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';

/** One stream per installation: (definition, instant) is unique in it. */
export const CAPACITIES_CATEGORY = 'accounting.capacities';
export const capacitiesStream = (installationId: string): string => `${CAPACITIES_CATEGORY}-${installationId}`;

const capacity = record('capacity', 'capacityId', ['installation', 'installationId'], ['project', 'projectId']);

/** `value` is a decimal number as text, exactly as it was sent; `registeredOn` an instant with milliseconds, UTC. */
export type CapacityEvent =
  | Readonly<{
      type: 'CapacityRegistered';
      data: Readonly<{
        projectId: string;
        installationId: string;
        capacityId: string;
        definitionId: string;
        value: string;
        registeredOn: string;
      }>;
    }>
  /** The values that hold from now on. */
  | Readonly<{
      type: 'CapacityRevised';
      data: Readonly<{ projectId: string; installationId: string; capacityId: string; value: string; registeredOn: string }>;
    }>;
export const capacityEvents: CatalogueOf<CapacityEvent> = {
  CapacityRegistered: { resource: capacity },
  CapacityRevised: { resource: capacity },
};
