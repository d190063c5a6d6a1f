import type { Type } from '@nestjs/common';
import { ActorsController } from './actors.controller.js';
import { AdministrationController } from './administration.controller.js';
import { AmsListenerController } from './ams-listener.controller.js';
import { CapacitiesController } from './capacities.controller.js';
import { ClientsController } from './clients.controller.js';
import { EntitlementsController } from './entitlements.controller.js';
import { InstallationsController } from './installations.controller.js';
import { MetricDefinitionsController } from './metric-definitions.controller.js';
import { MetricsController } from './metrics.controller.js';
import { OidcTenantsController } from './oidc-tenants.controller.js';
import { ProjectAdminController } from './project-admin.controller.js';
import { ProjectMetricsController } from './project-metrics.controller.js';
import { ProjectsController } from './projects.controller.js';
import { ProvidersController } from './providers.controller.js';
import { ReportsController } from './reports.controller.js';
import { ResourcesController } from './resources.controller.js';
import { SearchesController } from './searches.controller.js';
import { SettingsController } from './settings.controller.js';
import { MetricTypesController, UnitTypesController } from './types.controller.js';
import { UsedDefinitionsController } from './used-definitions.controller.js';
import { VocabularyController } from './vocabulary.controller.js';

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
