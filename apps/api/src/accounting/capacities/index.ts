import type { Provider } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { CapacityStreams, capacityHandlers } from './commands.js';

export const capacityProviders: readonly Provider[] = [queriesProvider(CapacityQueries), CapacityStreams, ...capacityHandlers];
