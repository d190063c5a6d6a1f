import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import * as metricSourceCommands from './commands.js';
import { ConfiguredSources } from './configured-sources.js';
import { DeadLetters } from './dead-letters.js';
import { MetricIngestion } from './metric-ingestion.js';
import { MetricRecorder } from './metric-recorder.js';
import { MetricSourceController } from './metric-source.controller.js';
import { MetricSourceService } from './metric-source-service.js';
import { TopicReaders } from './topic-readers.js';

export const metricSourceFeature: Feature = {
  controllers: [MetricSourceController],
  providers: [
    queriesProvider(MetricSourceQueries),
    TopicReaders,
    MetricRecorder,
    DeadLetters,
    MetricIngestion,
    ConfiguredSources,
    MetricSourceService,
    ...handlersOf(metricSourceCommands),
  ],
};
