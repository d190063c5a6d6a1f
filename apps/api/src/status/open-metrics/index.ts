import type { Feature } from '#api/shared/feature.js';
import { OpenMetricsController } from './open-metrics.controller.js';

/** Results for the open observability world. */
export const openMetricsFeature: Feature = { controllers: [OpenMetricsController], providers: [] };
