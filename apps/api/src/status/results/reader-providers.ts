import type { Provider } from '@nestjs/common';
import { CLOCK, CONFIGURATION, READ_STORE, RESULTS_ENGINE } from '#api/shared/tokens.js';
import { LARGE_RESULTS } from '#api/status/large-calls/handed-over.js';
import { LargeCalls } from '#api/status/large-calls/large-calls.js';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import type { ResultsEngine } from '#api/status/results-engine/results-engine.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { BACKGROUND_RESULTS, RESULTS, type Results } from '#projections/status/results/report-reader.js';
import { BoundedResults } from './bounded-results.js';

export const resultsProviders: readonly Provider[] = [
  {
    provide: BACKGROUND_RESULTS,
    useFactory: (store: ReadStore, clock: Clock, engine: ResultsEngine | null) =>
      resultsOver(store, clock, engine ? (inner) => engine.over(inner) : undefined),
    inject: [READ_STORE, CLOCK, RESULTS_ENGINE],
  },
  {
    provide: RESULTS,
    useFactory: (results: Results, { resultsCallLimit }: Pick<Configuration, 'resultsCallLimit'>) =>
      new BoundedResults(results, { most: resultsCallLimit }),
    inject: [BACKGROUND_RESULTS, CONFIGURATION],
  },
  {
    provide: LARGE_RESULTS,
    useFactory: (results: BoundedResults, engine: ResultsEngine | null) => (engine ? results.handingOver(new LargeCalls(engine)) : results),
    inject: [RESULTS, RESULTS_ENGINE],
  },
];
