import type { Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from '#api/accounting/ams-listener.controller.js';
import { UsageLookup } from '#api/accounting/metrics/usage-lookup.js';
import { HttpProjectCatalogue, PROJECT_CATALOGUE } from '#api/accounting/projects/project-catalogue.js';
import { ProjectTrees } from '#api/accounting/projects/project-trees.js';
import { ReferenceGate } from '#api/accounting/reference-gate.js';
import { CLOCK, CONFIGURATION, LOGGER } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/config/configuration.js';
import type { Logger } from '#infra/logging/logger.js';
import { CatalogueReader } from './catalogue-reader.js';
import { ExternalIdClaims } from './external-id-claims.js';
import { InstallationWriter } from './installation-writer.js';
import { ProviderCatalogue } from './provider-catalogue.js';

const providerCatalogue = (
  commands: CommandBus,
  reader: CatalogueReader,
  { providerCatalogue: source, providerCatalogueSeconds: intervalSeconds }: Configuration,
  clock: Clock,
  logger: Logger,
): ProviderCatalogue => new ProviderCatalogue({ source, intervalSeconds, commands, reader, clock, logger });

const listenerConfiguration = ({ amsListenerProject, amsVerificationHash }: Configuration): ListenerConfiguration => ({
  projectId: amsListenerProject ?? '',
  verificationHash: amsVerificationHash,
});

/** What the controllers of projects, providers, installations and metric definitions work with. */
export const catalogueServices: readonly Provider[] = [
  CatalogueReader,
  ReferenceGate,
  UsageLookup,
  ExternalIdClaims,
  ProjectTrees,
  InstallationWriter,
  {
    provide: PROJECT_CATALOGUE,
    useFactory: ({ projectCatalogue }: Configuration, logger: Logger) => new HttpProjectCatalogue(projectCatalogue, logger),
    inject: [CONFIGURATION, LOGGER],
  },
  { provide: ProviderCatalogue, useFactory: providerCatalogue, inject: [CommandBus, CatalogueReader, CONFIGURATION, CLOCK, LOGGER] },
  { provide: LISTENER_CONFIGURATION, useFactory: listenerConfiguration, inject: [CONFIGURATION] },
];
