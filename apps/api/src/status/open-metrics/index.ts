import type { Feature } from '#api/shared/feature.js';
import { OpenMetricsController } from './open-metrics.controller.js';

/** Results for OpenMetrics scrapers. */
export const openMetricsFeature: Feature = { controllers: [OpenMetricsController], providers: [] };
