import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { recomputationHandlers } from './commands.js';
import { RecomputationsController } from './recomputations.controller.js';
import { RecomputationRuns } from './runs/recomputation-runs.js';
import { RunProgress } from './runs/run-progress.js';

export const recomputationControllers: readonly Type[] = [RecomputationsController];
export const recomputationProviders: readonly Provider[] = [
  queriesProvider(RecomputationQueries),
  ...recomputationHandlers,
  RunProgress,
  RecomputationRuns,
];
