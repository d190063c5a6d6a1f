import type { Feature } from '#api/shared/feature.js';
import { OpenMetricsController } from './open-metrics.controller.js';

export const openMetricsFeature: Feature = { controllers: [OpenMetricsController], providers: [] };
