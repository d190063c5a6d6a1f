import type { Type } from '@nestjs/common';
import { OpenMetricsController } from './open-metrics.controller.js';

/** Results for the open observability world. */
export const openMetricsControllers: readonly Type[] = [OpenMetricsController];
