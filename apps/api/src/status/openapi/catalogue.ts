import type { Catalogue } from '#api/shared/openapi/described.js';
import { METRIC_DATA } from './metric-data.js';
import { PROFILES } from './profiles.js';
import { REPORTS } from './reports.js';
import { RESULTS } from './results.js';
import { SERVICE } from './service.js';
import { TENANT_STATES } from './tenant-states.js';
import { TENANTS } from './tenants.js';
import { TIMELINES } from './timelines.js';
import { TOPOLOGY } from './topology.js';
import { TRENDS } from './trends.js';
import { VERSIONS_4_AND_5 } from './versions-4-and-5.js';

export const STATUS_CATALOGUE: Catalogue = {
  ...PROFILES,
  ...TENANTS,
  ...TENANT_STATES,
  ...TOPOLOGY,
  ...REPORTS,
  ...METRIC_DATA,
  ...TIMELINES,
  ...RESULTS,
  ...TRENDS,
  ...SERVICE,
  ...VERSIONS_4_AND_5,
};
