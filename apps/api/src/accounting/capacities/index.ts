import type { Provider } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { capacityHandlers } from './commands.js';

export const capacityProviders: readonly Provider[] = [
  { provide: CapacityQueries, useFactory: (store: ReadStore) => new CapacityQueries(store), inject: [READ_STORE] },
  ...capacityHandlers,
];
