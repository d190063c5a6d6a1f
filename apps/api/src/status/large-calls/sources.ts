import { resultsOver } from '#api/status/results/reader-parts.js';
import { ResultsController } from '#api/status/results/results.controller.js';
import { ResultsV3Controller } from '#api/status/results/results-v3.controller.js';
import { SwitchedDays, storedDays } from '#api/status/results-engine/results-engine.js';
import { openThreadStore } from '#api/status/results-engine/thread-sources.js';
import { FlatStatusesController } from '#api/status/timelines/flat.controller.js';
import { HeldAnswers } from '#api/status/timelines/held-answers.js';
import { TimelinesController } from '#api/status/timelines/timelines.controller.js';
import { StatusV3Controller } from '#api/status/timelines/v3-status.controller.js';
import { TrendsController } from '#api/status/trends/trends.controller.js';
import { ResultsV5Controller } from '#api/status/v5/results-v5.controller.js';
import { StatusV5Controller } from '#api/status/v5/status-v5.controller.js';
import type { FollowerContext } from '#infra/engine/followers/follower.js';
import { resultsPath } from '#infra/engine/results/results-follower.js';
import { ResultsStore } from '#infra/engine/results/results-store.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { MetricDataQueries } from '#projections/status/metric-data/queries.js';
import { MetricListQueries } from '#projections/status/metric-list/queries.js';
import type { Results } from '#projections/status/results/report-reader.js';
import { pathOf } from './handed-over.js';
import { COMPUTE_DAY } from './large-calls.js';
import type { LargeCallSources } from './large-calls-follower.js';

type Parts = Readonly<{ results: Results; store: ReadStore; answers: HeldAnswers }>;

/** How controllers that answer large calls are made in the thread, by their path. */
export const LARGE_CONTROLLERS: ReadonlyMap<string, (parts: Parts) => object> = new Map<string, (parts: Parts) => object>([
  [pathOf(ResultsController), ({ results }) => new ResultsController(results)],
  [pathOf(ResultsV3Controller), ({ results }) => new ResultsV3Controller(results)],
  [pathOf(ResultsV5Controller), ({ results }) => new ResultsV5Controller(results)],
  [pathOf(TrendsController), ({ results, store }) => new TrendsController(results, new MetricListQueries(store))],
  [pathOf(TimelinesController), ({ results, answers }) => new TimelinesController(results, answers)],
  [pathOf(FlatStatusesController), ({ results, answers }) => new FlatStatusesController(results, answers)],
  [pathOf(StatusV3Controller), ({ results, answers }) => new StatusV3Controller(results, answers)],
  [pathOf(StatusV5Controller), ({ results, store, answers }) => new StatusV5Controller(results, answers, new MetricDataQueries(store))],
]);

/** What answers large calls in their thread: the controllers of the API, over stores of its own. @throws when they cannot be opened */
export const openLargeCallSources = async (context: FollowerContext): Promise<LargeCallSources> => {
  const { documents, store } = await openThreadStore(context);
  const path = resultsPath(context.settings.dataDirectory);
  const kept = ResultsStore.open({ path, report: (message) => context.log.warn({ path }, message) });
  const engine = {
    compute: async (request: unknown) => {
      await context.ask(COMPUTE_DAY, request);
    },
  };
  let mayBeStored = false;
  const results = resultsOver(store, context.now, (inner) => {
    const stored = storedDays({ inner, store: kept, engine });
    return new SwitchedDays(() => (mayBeStored ? stored : inner));
  });
  const parts = { results, store, answers: new HeldAnswers() };
  return {
    controllers: new Map([...LARGE_CONTROLLERS].map(([controller, make]) => [controller, make(parts)])),
    readStored: (may) => {
      mayBeStored = may;
    },
    close: async () => {
      await kept.close();
      await documents.close();
    },
  };
};
