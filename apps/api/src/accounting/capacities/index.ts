import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { CapacitiesController } from './capacities.controller.js';
import * as capacityCommands from './commands.js';

export const capacitiesFeature: Feature = {
  controllers: [CapacitiesController],
  providers: [queriesProvider(CapacityQueries), capacityCommands.CapacityStreams, ...handlersOf(capacityCommands)],
};
