import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { pathOf } from './large-calls/handed-over.js';
import type { LargeController } from './large-calls/sources.js';
import { answerSources } from './reads.js';
import { ResultsController } from './results/results.controller.js';
import { ResultsV3Controller } from './results/results-v3.controller.js';
import { FlatStatusesController } from './timelines/flat.controller.js';
import { TimelinesController } from './timelines/timelines.controller.js';
import { StatusV3Controller } from './timelines/v3-status.controller.js';
import { TrendsController } from './trends/index.js';
import { ResultsV5Controller } from './v5/results-v5.controller.js';
import { StatusV5Controller } from './v5/status-v5.controller.js';

/** Creators of the controllers in the thread of large calls, by path. */
export const LARGE_CONTROLLERS: ReadonlyMap<string, LargeController> = new Map<string, LargeController>([
  [pathOf(ResultsController), ({ results }) => new ResultsController(results)],
  [pathOf(ResultsV3Controller), ({ results }) => new ResultsV3Controller(results)],
  [pathOf(ResultsV5Controller), ({ results }) => new ResultsV5Controller(results)],
  [pathOf(TrendsController), ({ results, store }) => new TrendsController(answerSources(results, store))],
  [pathOf(TimelinesController), ({ results, answers }) => new TimelinesController(results, answers)],
  [pathOf(FlatStatusesController), ({ results, answers }) => new FlatStatusesController(results, answers)],
  [pathOf(StatusV3Controller), ({ results, answers }) => new StatusV3Controller(results, answers)],
  [pathOf(StatusV5Controller), ({ results, store, answers }) => new StatusV5Controller(results, answers, new MetricDataQueries(store))],
]);
