import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import * as recomputationCommands from './commands.js';
import { RecomputationsController } from './recomputations.controller.js';
import { RecomputationRuns } from './runs/recomputation-runs.js';
import { RunProgress } from './runs/run-progress.js';

export const recomputationsFeature: Feature = {
  controllers: [RecomputationsController],
  providers: [queriesProvider(RecomputationQueries), ...handlersOf(recomputationCommands), RunProgress, RecomputationRuns],
};
