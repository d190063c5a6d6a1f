import { ACCESS_CATEGORY, accessEvents } from '#domain/accounting/access/access-events.js';
import { CAPACITIES_CATEGORY, capacityEvents } from '#domain/accounting/capacities/capacity-events.js';
import {
  CATALOGUE_CATEGORY,
  catalogueEvents,
  EXTERNAL_ID_CATEGORY,
  externalIdEvents,
  PROJECT_CATEGORY,
  projectEvents,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_CATEGORY, definitionEvents } from '#domain/accounting/definitions/definition-events.js';
import { METRIC_CALLS_CATEGORY, METRIC_CATEGORY, metricCallEvents, metricEvents } from '#domain/accounting/metrics/metric-events.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';

/** Every event type of the accounting service, by stream category. */
export const accountingCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [ACCESS_CATEGORY]: accessEvents,
  [CATALOGUE_CATEGORY]: catalogueEvents,
  [PROJECT_CATEGORY]: projectEvents,
  [EXTERNAL_ID_CATEGORY]: externalIdEvents,
  [DEFINITIONS_CATEGORY]: definitionEvents,
  [CAPACITIES_CATEGORY]: capacityEvents,
  [METRIC_CATEGORY]: metricEvents,
  [METRIC_CALLS_CATEGORY]: metricCallEvents,
};
