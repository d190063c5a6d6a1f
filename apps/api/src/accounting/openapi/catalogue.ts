import type { Catalogue } from '#api/shared/openapi/described.js';
import { ADMINISTRATION_ANSWERS } from './administration.js';
import { CAPACITIES_ANSWERS } from './capacities.js';
import { CLIENTS_ANSWERS } from './clients.js';
import { INSTALLATIONS_ANSWERS } from './installations.js';
import { METRICDEFINITIONS_ANSWERS } from './metric-definitions.js';
import { METRICTYPES_ANSWERS } from './metric-types.js';
import { METRICS_ANSWERS } from './metrics.js';
import { PROJECTS_ANSWERS } from './projects.js';
import { PROVIDERS_ANSWERS } from './providers.js';
import { PUSHLISTENER_ANSWERS } from './push-listener.js';
import { REPORTS_ANSWERS } from './reports.js';
import { RESOURCES_ANSWERS } from './resources.js';
import { SEARCHES_ANSWERS } from './searches.js';
import { UNITTYPES_ANSWERS } from './unit-types.js';

export const ACCOUNTING_CATALOGUE: Catalogue = {
  ...ADMINISTRATION_ANSWERS,
  ...CLIENTS_ANSWERS,
  ...INSTALLATIONS_ANSWERS,
  ...PROVIDERS_ANSWERS,
  ...RESOURCES_ANSWERS,
  ...PROJECTS_ANSWERS,
  ...PUSHLISTENER_ANSWERS,
  ...METRICDEFINITIONS_ANSWERS,
  ...UNITTYPES_ANSWERS,
  ...METRICTYPES_ANSWERS,
  ...CAPACITIES_ANSWERS,
  ...METRICS_ANSWERS,
  ...REPORTS_ANSWERS,
  ...SEARCHES_ANSWERS,
};
