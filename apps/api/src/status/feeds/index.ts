import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import * as feedCommands from './commands.js';
import { FeedsController } from './feeds.controller.js';

export const feedsFeature: Feature = {
  controllers: [FeedsController],
  providers: [queriesProvider(FeedQueries), ...handlersOf(feedCommands)],
};
