import type { Provider } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { CachedDefinitions } from './cached-definitions.js';
import { definitionHandlers } from './definition-commands.js';
import { KnownTypes } from './known-types.js';
import { typeHandlers } from './type-commands.js';

export const definitionProviders: readonly Provider[] = [
  queriesProvider(DefinitionQueries),
  CachedDefinitions,
  KnownTypes,
  ...definitionHandlers,
  ...typeHandlers,
];
