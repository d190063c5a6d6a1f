import { CommandBus } from '@nestjs/cqrs';
import { handlersOf } from '#api/shared/commands/command-of.js';
import type { Feature } from '#api/shared/feature.js';
import { queriesProvider } from '#api/shared/provides.js';
import { CLOCK, CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { BranchQueries } from '#projections/accounting/catalogue/branches.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { CachedCatalogue } from './cached-catalogue.js';
import { ExternalIdClaims } from './external-id-claims.js';
import { ExternalProviderCatalogue } from './external-provider-catalogue.js';
import * as installationCommands from './installation-commands.js';
import { InstallationScopes } from './installation-scopes.js';
import { InstallationTexts } from './installation-texts.js';
import { InstallationsController } from './installations.controller.js';
import { PermittedScopes } from './permitted-scopes.js';
import * as providerCommands from './provider-commands.js';
import { ProvidersController } from './providers.controller.js';
import * as resourceCommands from './resource-commands.js';
import { ResourcesController } from './resources.controller.js';

const externalProviderCatalogue = (
  bus: CommandBus,
  queries: CatalogueQueries,
  { providerCatalogue, providerCatalogueSeconds: intervalSeconds, roles }: Configuration,
  clock: Clock,
  logger: Logger,
): ExternalProviderCatalogue =>
  // Only nodes with the role `push` import the catalogue.
  new ExternalProviderCatalogue({
    source: roles.includes('push') ? providerCatalogue : undefined,
    intervalSeconds,
    bus,
    queries,
    clock,
    logger,
  });

export const catalogueFeature: Feature = {
  controllers: [InstallationsController, ProvidersController, ResourcesController],
  providers: [
    queriesProvider(CatalogueQueries),
    queriesProvider(CatalogueLists),
    queriesProvider(BranchQueries),
    CachedCatalogue,
    ExternalIdClaims,
    InstallationScopes,
    InstallationTexts,
    PermittedScopes,
    {
      provide: ExternalProviderCatalogue,
      useFactory: externalProviderCatalogue,
      inject: [CommandBus, CatalogueQueries, CONFIGURATION, CLOCK, LOGGER],
    },
    installationCommands.CreateInstallationHandler,
    ...handlersOf(installationCommands, providerCommands, resourceCommands),
  ],
};
