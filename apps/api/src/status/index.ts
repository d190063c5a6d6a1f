import type { Type } from '@nestjs/common';
import { datedRecordControllers } from '#api/status/dated-records/index.js';
import { DowntimesController } from '#api/status/downtimes/downtimes.controller.js';
import { FeedsController } from '#api/status/feeds/feeds.controller.js';
import { IssuesController } from '#api/status/metric-data/issues.controller.js';
import { LatestController } from '#api/status/metric-data/latest.controller.js';
import { MetricDataController } from '#api/status/metric-data/metric-data.controller.js';
import { MetricResultController } from '#api/status/metric-data/metric-result.controller.js';
import { MetricStatusesController } from '#api/status/metric-data/metric-statuses.controller.js';
import { MetricListAdminController, MetricListController } from '#api/status/metric-list/metric-list.controller.js';
import { RecomputationsController } from '#api/status/recomputations/recomputations.controller.js';
import { ReportsController } from '#api/status/reports/reports.controller.js';
import { TenantStatusController } from '#api/status/tenants/tenant-status.controller.js';
import { TenantUsersController } from '#api/status/tenants/tenant-users.controller.js';
import { TenantsController } from '#api/status/tenants/tenants.controller.js';
import { topologyControllers } from '#api/status/topology/index.js';
import { VersionController } from './version.controller.js';

/** Every controller of the status service. */
export const statusControllers: readonly Type[] = [
  ...datedRecordControllers,
  ReportsController,
  RecomputationsController,
  TenantsController,
  TenantUsersController,
  TenantStatusController,
  ...topologyControllers,
  DowntimesController,
  FeedsController,
  MetricListAdminController,
  MetricListController,
  MetricDataController,
  MetricResultController,
  MetricStatusesController,
  LatestController,
  IssuesController,
  VersionController,
];
