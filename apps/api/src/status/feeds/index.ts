import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { feedHandlers } from './commands.js';
import { FeedsController } from './feeds.controller.js';

export const feedControllers: readonly Type[] = [FeedsController];
export const feedProviders: readonly Provider[] = [queriesProvider(FeedQueries), ...feedHandlers];
