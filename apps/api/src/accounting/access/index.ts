import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CountQueries } from '#projections/accounting/counts/queries.js';
import { ActorsController } from './actors.controller.js';
import { AdministrationController } from './administration.controller.js';
import { ClientsController } from './clients.controller.js';
import * as accessCommands from './commands.js';
import { EntitlementsController } from './entitlements.controller.js';
import { OidcTenantsController } from './oidc-tenants.controller.js';
import { SettingsController } from './settings.controller.js';

export const accessFeature: Feature = {
  controllers: [
    SettingsController,
    OidcTenantsController,
    EntitlementsController,
    ClientsController,
    AdministrationController,
    ActorsController,
  ],
  providers: [queriesProvider(AccessQueries), queriesProvider(CountQueries), ...handlersOf(accessCommands)],
};
