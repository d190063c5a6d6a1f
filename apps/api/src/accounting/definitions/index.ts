import type { Provider } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { CachedDefinitions } from './cached-definitions.js';
import { definitionHandlers } from './definition-commands.js';
import { KnownTypes } from './known-types.js';
import { typeHandlers } from './type-commands.js';

export const definitionProviders: readonly Provider[] = [
  { provide: DefinitionQueries, useFactory: (store: ReadStore) => new DefinitionQueries(store), inject: [READ_STORE] },
  CachedDefinitions,
  KnownTypes,
  ...definitionHandlers,
  ...typeHandlers,
];
