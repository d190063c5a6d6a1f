import type { Type } from '@nestjs/common';
import { accessControllers } from '#api/accounting/access/index.js';
import { CapacitiesController } from '#api/accounting/capacities/capacities.controller.js';
import { catalogueControllers } from '#api/accounting/catalogue/index.js';
import { MetricDefinitionsController } from '#api/accounting/definitions/metric-definitions.controller.js';
import { MetricTypesController, UnitTypesController } from '#api/accounting/definitions/types.controller.js';
import { UsedDefinitionsController } from '#api/accounting/definitions/used-definitions.controller.js';
import { MetricsController } from '#api/accounting/metrics/metrics.controller.js';
import { ProjectMetricsController } from '#api/accounting/metrics/project-metrics.controller.js';
import { projectControllers } from '#api/accounting/projects/index.js';
import { ReportsController } from '#api/accounting/reports/reports.controller.js';
import { SearchesController } from '#api/accounting/search/searches.controller.js';
import { VocabularyController } from '#api/accounting/search/vocabulary.controller.js';
import { AmsListenerController } from './ams-listener.controller.js';

/** Every controller of the accounting service. */
export const accountingControllers: readonly Type[] = [
  ...accessControllers,
  ...catalogueControllers,
  ...projectControllers,
  AmsListenerController,
  MetricDefinitionsController,
  UnitTypesController,
  MetricTypesController,
  UsedDefinitionsController,
  CapacitiesController,
  MetricsController,
  ProjectMetricsController,
  ReportsController,
  SearchesController,
  VocabularyController,
];
