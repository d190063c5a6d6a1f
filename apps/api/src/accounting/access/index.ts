import type { Provider, Type } from '@nestjs/common';
import { READ_STORE } from '#api/shared/tokens.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CountQueries } from '#projections/accounting/counts/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ActorsController } from './actors.controller.js';
import { AdministrationController } from './administration.controller.js';
import { RegisterClientHandler } from './client-commands.js';
import { ClientsController } from './clients.controller.js';
import { entitlementHandlers } from './entitlement-commands.js';
import { EntitlementsController } from './entitlements.controller.js';
import { oidcTenantHandlers } from './oidc-tenant-commands.js';
import { OidcTenantsController } from './oidc-tenants.controller.js';
import { ChangeSettingHandler } from './setting-commands.js';
import { SettingsController } from './settings.controller.js';

export const accessControllers: readonly Type[] = [
  SettingsController,
  OidcTenantsController,
  EntitlementsController,
  ClientsController,
  AdministrationController,
  ActorsController,
];

export const accessProviders: readonly Provider[] = [
  { provide: AccessQueries, useFactory: (store: ReadStore) => new AccessQueries(store), inject: [READ_STORE] },
  { provide: CountQueries, useFactory: (store: ReadStore) => new CountQueries(store), inject: [READ_STORE] },
  RegisterClientHandler,
  ChangeSettingHandler,
  ...entitlementHandlers,
  ...oidcTenantHandlers,
];
