import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { HealthQueries } from '#projections/status/health/queries.js';
import { healthHandlers } from './commands.js';
import { StatusHealthController } from './health.controller.js';

export const healthControllers: readonly Type[] = [StatusHealthController];
export const healthProviders: readonly Provider[] = [queriesProvider(HealthQueries), ...healthHandlers];
