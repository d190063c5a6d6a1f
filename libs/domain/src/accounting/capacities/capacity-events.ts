import { record } from '#domain/accounting/record.js';
import type { CatalogueOf } from '#domain/shared/catalogue.js';

/** One stream per installation, in which each pair of definition and instant is unique. */
export const CAPACITIES_CATEGORY = 'accounting.capacities';
export const capacitiesStream = (installationId: string): string => `${CAPACITIES_CATEGORY}-${installationId}`;

const capacity = record('capacity', 'capacityId', ['installation', 'installationId'], ['project', 'projectId']);

/** `value`: decimal number as text, exactly as sent. `registeredOn`: UTC instant with milliseconds. */
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
  /** All values after the revision. */
  | Readonly<{
      type: 'CapacityRevised';
      data: Readonly<{ projectId: string; installationId: string; capacityId: string; value: string; registeredOn: string }>;
    }>;
export const capacityEvents: CatalogueOf<CapacityEvent> = {
  CapacityRegistered: { resource: capacity },
  CapacityRevised: { resource: capacity },
};
