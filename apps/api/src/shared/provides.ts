import type { FactoryProvider, Type } from '@nestjs/common';
import type { ReadStore } from '#projections/shared/read-store.js';
import { READ_STORE, type Token } from './tokens.js';

/** A dependency: an injectable class, or a token for a dependency without a class. */
export type Port = (abstract new (...of: never[]) => unknown) | Token<unknown>;
type Instance<Of> = Of extends Token<infer Given> ? Given : Of extends abstract new (...of: never[]) => infer Given ? Given : never;
export type Instances<Ports extends readonly Port[]> = { readonly [Index in keyof Ports]: Instance<Ports[Index]> };

/** A provider; `make` gets the instances of `ports`. */
export const provides = <Given, const Ports extends readonly Port[]>(
  provide: Type<Given> | string | symbol,
  ports: Ports,
  make: (...given: Instances<Ports>) => Given,
): FactoryProvider<Given> => ({ provide, inject: [...ports], useFactory: make });

/** Queries of one read model, injected by their class. */
export const queriesProvider = <Queries>(queries: Type<Queries> & (new (store: ReadStore) => Queries)): FactoryProvider<Queries> =>
  provides(queries, [READ_STORE], (store) => new queries(store));
