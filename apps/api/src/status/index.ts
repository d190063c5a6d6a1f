import type { Type } from '@nestjs/common';
import {
  AggregationProfilesController,
  MetricProfilesController,
  OperationsProfilesController,
  ThresholdsProfilesController,
  WeightsController,
} from './dated-kinds.js';
import { TenantsController } from './tenants.controller.js';

/** Every controller of the status service. */
export const statusControllers: readonly Type[] = [
  OperationsProfilesController,
  MetricProfilesController,
  AggregationProfilesController,
  ThresholdsProfilesController,
  WeightsController,
  TenantsController,
];
