import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { pathOf } from './large-calls/handed-over.js';
import type { LargeController } from './large-calls/sources.js';
import { answerSources } from './reads.js';
import { ResultsController, ResultsV3Controller, ResultsV5Controller } from './results/index.js';
import { FlatStatusesController } from './timelines/flat.controller.js';
import { TimelinesController } from './timelines/timelines.controller.js';
import { StatusV3Controller } from './timelines/v3-status.controller.js';
import { TrendsController } from './trends/index.js';
import { StatusV5Controller } from './v5/status-v5.controller.js';

/** Creators of the controllers in the thread of large calls, by path. */
export const LARGE_CONTROLLERS: ReadonlyMap<string, LargeController> = new Map<string, LargeController>([
  [pathOf(ResultsController), ({ results, store }) => new ResultsController(answerSources(results, store))],
  [pathOf(ResultsV3Controller), ({ results, store }) => new ResultsV3Controller(answerSources(results, store))],
  [pathOf(ResultsV5Controller), ({ results, store }) => new ResultsV5Controller(answerSources(results, store))],
  [pathOf(TrendsController), ({ results, store }) => new TrendsController(answerSources(results, store))],
  [pathOf(TimelinesController), ({ results, answers }) => new TimelinesController(results, answers)],
  [pathOf(FlatStatusesController), ({ results, answers }) => new FlatStatusesController(results, answers)],
  [pathOf(StatusV3Controller), ({ results, answers }) => new StatusV3Controller(results, answers)],
  [pathOf(StatusV5Controller), ({ results, store, answers }) => new StatusV5Controller(results, answers, new MetricDataQueries(store))],
]);
