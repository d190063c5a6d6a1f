import type { Type } from '@nestjs/common';
import { ActorsController } from '#api/accounting/access/actors.controller.js';
import { AdministrationController } from '#api/accounting/access/administration.controller.js';
import { ClientsController } from '#api/accounting/access/clients.controller.js';
import { EntitlementsController } from '#api/accounting/access/entitlements.controller.js';
import { OidcTenantsController } from '#api/accounting/access/oidc-tenants.controller.js';
import { SettingsController } from '#api/accounting/access/settings.controller.js';
import { CapacitiesController } from '#api/accounting/capacities/capacities.controller.js';
import { InstallationsController } from '#api/accounting/catalogue/installations.controller.js';
import { ProvidersController } from '#api/accounting/catalogue/providers.controller.js';
import { ResourcesController } from '#api/accounting/catalogue/resources.controller.js';
import { MetricDefinitionsController } from '#api/accounting/definitions/metric-definitions.controller.js';
import { MetricTypesController, UnitTypesController } from '#api/accounting/definitions/types.controller.js';
import { UsedDefinitionsController } from '#api/accounting/definitions/used-definitions.controller.js';
import { MetricsController } from '#api/accounting/metrics/metrics.controller.js';
import { ProjectMetricsController } from '#api/accounting/metrics/project-metrics.controller.js';
import { ProjectAdminController } from '#api/accounting/projects/project-admin.controller.js';
import { ProjectsController } from '#api/accounting/projects/projects.controller.js';
import { ReportsController } from '#api/accounting/reports/reports.controller.js';
import { SearchesController } from '#api/accounting/search/searches.controller.js';
import { VocabularyController } from '#api/accounting/search/vocabulary.controller.js';
import { AmsListenerController } from './ams-listener.controller.js';

/** Every controller of the accounting service. */
export const accountingControllers: readonly Type[] = [
  VocabularyController,
  SettingsController,
  OidcTenantsController,
  EntitlementsController,
  ClientsController,
  AdministrationController,
  ActorsController,
  InstallationsController,
  MetricDefinitionsController,
  ProjectAdminController,
  ProjectsController,
  ProvidersController,
  ResourcesController,
  UnitTypesController,
  MetricTypesController,
  AmsListenerController,
  CapacitiesController,
  MetricsController,
  ProjectMetricsController,
  ReportsController,
  UsedDefinitionsController,
  SearchesController,
];
