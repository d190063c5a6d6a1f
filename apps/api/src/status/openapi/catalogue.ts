import type { Catalogue } from '#api/shared/openapi/described.js';
import { AGGREGATIONPROFILES_ANSWERS } from './aggregation-profiles.js';
import { DOWNTIMES_ANSWERS } from './downtimes.js';
import { FACTORS_ANSWERS } from './factors.js';
import { FEEDS_ANSWERS } from './feeds.js';
import { HEALTH_ANSWERS } from './health.js';
import { METRICPROFILES_ANSWERS } from './metric-profiles.js';
import { METRICRESULTS_ANSWERS } from './metric-results.js';
import { METRICS_ANSWERS } from './metrics.js';
import { ANSWERS_OF_2026 } from './of-2026.js';
import { OPERATIONSPROFILES_ANSWERS } from './operations-profiles.js';
import { RECOMPUTATIONS_ANSWERS } from './recomputations.js';
import { REPORTS_ANSWERS } from './reports.js';
import { RESULTS_ANSWERS } from './results.js';
import { SERVICE_ANSWERS } from './service.js';
import { TENANTS_ANSWERS } from './tenants.js';
import { THRESHOLDSPROFILES_ANSWERS } from './thresholds-profiles.js';
import { TIMELINES_ANSWERS } from './timelines.js';
import { TOPOLOGY_ANSWERS } from './topology.js';
import { TRENDS_ANSWERS } from './trends.js';
import { WEIGHTS_ANSWERS } from './weights.js';

export const STATUS_CATALOGUE: Catalogue = {
  ...OPERATIONSPROFILES_ANSWERS,
  ...METRICPROFILES_ANSWERS,
  ...AGGREGATIONPROFILES_ANSWERS,
  ...THRESHOLDSPROFILES_ANSWERS,
  ...WEIGHTS_ANSWERS,
  ...FACTORS_ANSWERS,
  ...REPORTS_ANSWERS,
  ...RECOMPUTATIONS_ANSWERS,
  ...TENANTS_ANSWERS,
  ...TOPOLOGY_ANSWERS,
  ...DOWNTIMES_ANSWERS,
  ...FEEDS_ANSWERS,
  ...METRICS_ANSWERS,
  ...METRICRESULTS_ANSWERS,
  ...HEALTH_ANSWERS,
  ...RESULTS_ANSWERS,
  ...SERVICE_ANSWERS,
  ...TIMELINES_ANSWERS,
  ...TRENDS_ANSWERS,
  ...ANSWERS_OF_2026,
};
