import { ACCESS_CATEGORY, type AccessEvent, accessEvents } from '#domain/accounting/access/access-events.js';
import { CAPACITIES_CATEGORY, type CapacityEvent, capacityEvents } from '#domain/accounting/capacities/capacity-events.js';
import {
  CATALOGUE_CATEGORY,
  type CatalogueEvent,
  catalogueEvents,
  EXTERNAL_ID_CATEGORY,
  type ExternalIdEvent,
  externalIdEvents,
  PROJECT_CATEGORY,
  type ProjectEvent,
  projectEvents,
} from '#domain/accounting/catalogue/catalogue-events.js';
import { DEFINITIONS_CATEGORY, type DefinitionEvent, definitionEvents } from '#domain/accounting/definitions/definition-events.js';
import {
  METRIC_CALLS_CATEGORY,
  METRIC_CATEGORY,
  type MetricCallEvent,
  type MetricEvent,
  metricCallEvents,
  metricEvents,
} from '#domain/accounting/metrics/metric-events.js';
import type { CataloguesOf } from '#domain/shared/catalogue.js';

/** The events of the accounting service, by stream category. */
export type AccountingEvents = {
  [ACCESS_CATEGORY]: AccessEvent;
  [CATALOGUE_CATEGORY]: CatalogueEvent;
  [PROJECT_CATEGORY]: ProjectEvent;
  [EXTERNAL_ID_CATEGORY]: ExternalIdEvent;
  [DEFINITIONS_CATEGORY]: DefinitionEvent;
  [CAPACITIES_CATEGORY]: CapacityEvent;
  [METRIC_CATEGORY]: MetricEvent;
  [METRIC_CALLS_CATEGORY]: MetricCallEvent;
};

export const accountingCatalogues: CataloguesOf<AccountingEvents> = {
  [ACCESS_CATEGORY]: accessEvents,
  [CATALOGUE_CATEGORY]: catalogueEvents,
  [PROJECT_CATEGORY]: projectEvents,
  [EXTERNAL_ID_CATEGORY]: externalIdEvents,
  [DEFINITIONS_CATEGORY]: definitionEvents,
  [CAPACITIES_CATEGORY]: capacityEvents,
  [METRIC_CATEGORY]: metricEvents,
  [METRIC_CALLS_CATEGORY]: metricCallEvents,
};
