import type { Type } from '@nestjs/common';
import { datedRecordControllers } from './dated-records/index.js';
import { DowntimesController } from './downtimes/downtimes.controller.js';
import { feedControllers } from './feeds/index.js';
import { healthControllers } from './health/index.js';
import { metricDataControllers } from './metric-data/index.js';
import { metricListControllers } from './metric-list/index.js';
import { metricSourceControllers } from './metric-source/index.js';
import { notificationControllers } from './notifications/index.js';
import { openMetricsControllers } from './open-metrics/index.js';
import { recomputationControllers } from './recomputations/index.js';
import { reportControllers } from './reports/index.js';
import { resultControllers } from './results/index.js';
import { tenantControllers } from './tenants/index.js';
import { timelineControllers } from './timelines/index.js';
import { topologyControllers } from './topology/index.js';
import { v4Controllers } from './v4/index.js';
import { v5Controllers } from './v5/index.js';
import { VersionController } from './version.controller.js';

/** Every controller of the status service. */
export const statusControllers: readonly Type[] = [
  ...datedRecordControllers,
  ...reportControllers,
  ...recomputationControllers,
  ...tenantControllers,
  ...topologyControllers,
  DowntimesController,
  ...feedControllers,
  ...metricListControllers,
  ...metricDataControllers,
  ...timelineControllers,
  ...resultControllers,
  ...v4Controllers,
  ...v5Controllers,
  ...healthControllers,
  ...openMetricsControllers,
  ...metricSourceControllers,
  ...notificationControllers,
  VersionController,
];
