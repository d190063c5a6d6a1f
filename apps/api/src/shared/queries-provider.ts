import type { FactoryProvider, Type } from '@nestjs/common';
import type { ReadStore } from '#projections/shared/read-store.js';
import { READ_STORE } from './tokens.js';

/** Queries of one read model, for injection by their class. */
export const queriesProvider = <Queries>(queries: Type<Queries> & (new (store: ReadStore) => Queries)): FactoryProvider<Queries> => ({
  provide: queries,
  useFactory: (store: ReadStore) => new queries(store),
  inject: [READ_STORE],
});
