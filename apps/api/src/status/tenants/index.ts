import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import * as tenantCommands from './commands.js';
import { IntegrationsController } from './integrations.controller.js';
import { SeenTenants } from './seen-tenants.js';
import { TenantPartsController } from './tenant-parts.controller.js';
import { TenantReadiness } from './tenant-readiness.js';
import { TenantStatusController } from './tenant-status.controller.js';
import { TenantUsersController } from './tenant-users.controller.js';
import { TenantsController } from './tenants.controller.js';

export const tenantsFeature: Feature = {
  controllers: [TenantsController, TenantUsersController, TenantStatusController, TenantPartsController, IntegrationsController],
  providers: [queriesProvider(TenantQueries), SeenTenants, TenantReadiness, ...handlersOf(tenantCommands)],
};
