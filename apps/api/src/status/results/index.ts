import type { Feature } from '#api/shared/feature.js';
import { resultsProviders } from './reader-providers.js';
import { ResultsController } from './results.controller.js';
import { ResultsV3Controller } from './results-v3.controller.js';

export const resultsFeature: Feature = { controllers: [ResultsController, ResultsV3Controller], providers: resultsProviders };
