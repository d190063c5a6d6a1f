import type { EventCatalogue } from '../shared/catalogue.js';
import { aggregationProfiles } from './aggregation-profiles.js';
import { catalogueOfDated, categoryOfDated } from './dated-records.js';
import { metricProfiles } from './metric-profiles.js';
import { operationsProfiles } from './operations-profiles.js';
import { TENANTS_CATEGORY, tenantEvents } from './tenants.js';
import { thresholdsProfiles } from './thresholds-profiles.js';
import { weights } from './weights.js';

/** Every kind of dated record. */
export const datedResources = [operationsProfiles, metricProfiles, aggregationProfiles, thresholdsProfiles, weights] as const;

/** Every event type of the status service, by stream category. */
export const statusCatalogues: Readonly<Record<string, EventCatalogue>> = {
  [TENANTS_CATEGORY]: tenantEvents,
  ...Object.fromEntries(datedResources.map((resource) => [categoryOfDated(resource), catalogueOfDated(resource)])),
};
