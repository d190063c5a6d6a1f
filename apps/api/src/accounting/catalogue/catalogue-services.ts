import type { Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from '#api/accounting/ams-listener.controller.js';
import { UsageLookup } from '#api/accounting/metrics/usage-lookup.js';
import { HttpProjectCatalogue, PROJECT_CATALOGUE } from '#api/accounting/projects/project-catalogue.js';
import { ProjectTrees } from '#api/accounting/projects/project-trees.js';
import { ReferenceGate } from '#api/accounting/reference-gate.js';
import type { Runtime } from '#api/runtime.js';
import { CatalogueReader } from './catalogue-reader.js';
import { ExternalIdClaims } from './external-id-claims.js';
import { InstallationWriter } from './installation-writer.js';
import { ProviderCatalogue } from './provider-catalogue.js';

/** What the controllers of projects, providers, installations and metric definitions work with. */
export const catalogueServices = ({ configuration, logger, clock }: Runtime): readonly Provider[] => [
  CatalogueReader,
  ReferenceGate,
  UsageLookup,
  ExternalIdClaims,
  ProjectTrees,
  InstallationWriter,
  { provide: PROJECT_CATALOGUE, useValue: new HttpProjectCatalogue(configuration.projectCatalogue, logger) },
  {
    provide: ProviderCatalogue,
    useFactory: (commands: CommandBus, reader: CatalogueReader) =>
      new ProviderCatalogue({
        source: configuration.providerCatalogue,
        intervalSeconds: configuration.providerCatalogueSeconds,
        commands,
        reader,
        clock,
        logger,
      }),
    inject: [CommandBus, CatalogueReader],
  },
  {
    provide: LISTENER_CONFIGURATION,
    useValue: {
      projectId: configuration.amsListenerProject ?? '',
      verificationHash: configuration.amsVerificationHash,
    } satisfies ListenerConfiguration,
  },
];
