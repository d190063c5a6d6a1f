import type { Provider } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Runtime } from '../runtime.js';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from './ams-listener.controller.js';
import { CatalogueReader } from './catalogue-reader.js';
import { ExternalIdClaims } from './external-id-claims.js';
import { InstallationWriter } from './installation-writer.js';
import { HttpProjectCatalogue, PROJECT_CATALOGUE } from './project-catalogue.js';
import { ProjectTrees } from './project-trees.js';
import { ProviderCatalogue } from './provider-catalogue.js';
import { ReferenceGate } from './reference-gate.js';
import { UsageLookup } from './usage-lookup.js';

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
