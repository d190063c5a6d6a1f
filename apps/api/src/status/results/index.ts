import type { Feature } from '#api/shared/feature.js';
import { TrendsController } from '#api/status/trends/trends.controller.js';
import { resultsProviders } from './reader-providers.js';
import { ResultsController } from './results.controller.js';
import { ResultsV3Controller } from './results-v3.controller.js';

/** Availability, reliability and trends. */
export const resultsFeature: Feature = {
  controllers: [ResultsController, ResultsV3Controller, TrendsController],
  providers: resultsProviders,
};
