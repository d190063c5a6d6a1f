import type { Feature } from '#api/shared/feature.js';
import { controllerOf } from '#api/status/reads.js';
import { resultsProviders } from './reader-providers.js';
import { RESULTS_V2, RESULTS_V5 } from './reads.js';
import { RESULTS_V3 } from './reads-v3.js';

export const ResultsController = controllerOf(RESULTS_V2);
export const ResultsV3Controller = controllerOf(RESULTS_V3);
export const ResultsV5Controller = controllerOf(RESULTS_V5);

export const resultsFeature: Feature = { controllers: [ResultsController, ResultsV3Controller], providers: resultsProviders };
