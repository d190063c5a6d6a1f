import type { Type } from '@nestjs/common';
import {
  AggregationProfilesController,
  MetricProfilesController,
  OperationsProfilesController,
  ThresholdsProfilesController,
  WeightsController,
} from './dated-kinds.js';
import { DowntimesController } from './downtimes.controller.js';
import { FactorsController } from './factors.controller.js';
import { FeedsController } from './feeds.controller.js';
import { IssuesController } from './issues.controller.js';
import { LatestController } from './latest.controller.js';
import { MetricDataController } from './metric-data.controller.js';
import { MetricListAdminController, MetricListController } from './metric-list.controller.js';
import { MetricResultController } from './metric-result.controller.js';
import { MetricStatusesController } from './metric-statuses.controller.js';
import { RecomputationsController } from './recomputations.controller.js';
import { ReportsController } from './reports.controller.js';
import { TenantStatusController } from './tenant-status.controller.js';
import { TenantUsersController } from './tenant-users.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TopologyEndpointsController, TopologyGroupsController, TopologyServiceTypesController } from './topology-kinds.js';
import { TopologyReportsController } from './topology-reports.controller.js';
import { VersionController } from './version.controller.js';

/** Every controller of the status service. */
export const statusControllers: readonly Type[] = [
  OperationsProfilesController,
  MetricProfilesController,
  AggregationProfilesController,
  ThresholdsProfilesController,
  WeightsController,
  ReportsController,
  RecomputationsController,
  TenantsController,
  TenantUsersController,
  TenantStatusController,
  TopologyEndpointsController,
  TopologyGroupsController,
  TopologyServiceTypesController,
  TopologyReportsController,
  DowntimesController,
  FeedsController,
  FactorsController,
  MetricListAdminController,
  MetricListController,
  MetricDataController,
  MetricResultController,
  MetricStatusesController,
  LatestController,
  IssuesController,
  VersionController,
];
