import type { Provider, Type } from '@nestjs/common';
import { queriesProvider } from '#api/shared/queries-provider.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { tenantHandlers } from './commands.js';
import { IntegrationsController } from './integrations.controller.js';
import { TenantPartsController } from './tenant-parts.controller.js';
import { TenantReadiness } from './tenant-readiness.js';
import { TenantStatusController } from './tenant-status.controller.js';
import { TenantUsersController } from './tenant-users.controller.js';
import { TenantsController } from './tenants.controller.js';

export const tenantControllers: readonly Type[] = [
  TenantsController,
  TenantUsersController,
  TenantStatusController,
  TenantPartsController,
  IntegrationsController,
];
export const tenantProviders: readonly Provider[] = [queriesProvider(TenantQueries), TenantReadiness, ...tenantHandlers];
