import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { CachedDefinitions } from './cached-definitions.js';
import * as definitionCommands from './definition-commands.js';
import { KnownTypes } from './known-types.js';
import { MetricDefinitionsController } from './metric-definitions.controller.js';
import { typeCommands } from './type-commands.js';
import { MetricTypesController, UnitTypesController } from './types.controller.js';
import { UsedDefinitionsController } from './used-definitions.controller.js';

export const definitionsFeature: Feature = {
  controllers: [MetricDefinitionsController, UnitTypesController, MetricTypesController, UsedDefinitionsController],
  providers: [
    queriesProvider(DefinitionQueries),
    CachedDefinitions,
    KnownTypes,
    ...handlersOf(definitionCommands, typeCommands.unit, typeCommands.metric),
  ],
};
