import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { HealthQueries } from '#projections/status/health/queries.js';
import * as healthCommands from './commands.js';
import { StatusHealthController } from './health.controller.js';

export const healthFeature: Feature = {
  controllers: [StatusHealthController],
  providers: [queriesProvider(HealthQueries), ...handlersOf(healthCommands)],
};
