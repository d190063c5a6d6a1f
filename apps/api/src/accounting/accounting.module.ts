import { Module } from '@nestjs/common';
import { ExternalProviderCatalogue } from '#api/accounting/catalogue/external-provider-catalogue.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import { type Feature, together } from '#api/shared/feature.js';
import { CONFIGURATION, LIVE_CLOCK, LIVE_READ_STORE, LOGGER, OWN_URL } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import { OwnTokens } from '#infra/edges/oidc/own-tokens.js';
import { TokenVerifier } from '#infra/edges/oidc/token-verifier.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { AccountingAccess } from './access/access.js';
import { accessFeature } from './access/index.js';
import * as amsCommands from './ams/ams-commands.js';
import { AmsListenerController } from './ams/ams-listener.controller.js';
import { LISTENER_CONFIGURATION, type ListenerConfiguration } from './ams/listener-configuration.js';
import { capacitiesFeature } from './capacities/index.js';
import { catalogueFeature } from './catalogue/index.js';
import { definitionsFeature } from './definitions/index.js';
import { AccountingHttpPolicy } from './http-policy.js';
import { metricsFeature } from './metrics/index.js';
import { ObjectIds } from './object-ids.js';
import { ProjectStreams } from './project-streams.js';
import { projectsFeature } from './projects/index.js';
import { References } from './references/references.js';
import { reportsFeature } from './reports/index.js';
import { searchFeature } from './search/index.js';

const accessOver = (
  store: ReadStore,
  completeness: Completeness,
  ownTokens: OwnTokens,
  credentialHashes: CredentialHashes,
  erased: ErasedSubjects,
  clock: Clock,
  { oidcAudiences, oidcIssuers, entitlementNamespace, entitlementParent }: Configuration,
): AccountingAccess =>
  new AccountingAccess({
    store,
    completeness,
    tokens: new TokenVerifier(ownTokens, clock, oidcAudiences),
    credentialHashes,
    erased,
    issuers: oidcIssuers,
    scheme: { namespace: entitlementNamespace, parent: entitlementParent },
  });

/** Providers and installations that a catalogue announces through messages. */
const amsFeature: Feature = {
  controllers: [AmsListenerController],
  providers: [
    ...handlersOf(amsCommands),
    {
      provide: LISTENER_CONFIGURATION,
      useFactory: ({ amsListenerProject, amsVerificationHash }: Configuration): ListenerConfiguration => ({
        projectId: amsListenerProject ?? '',
        verificationHash: amsVerificationHash,
      }),
      inject: [CONFIGURATION],
    },
  ],
};

const features = together(
  accessFeature,
  catalogueFeature,
  projectsFeature,
  amsFeature,
  definitionsFeature,
  capacitiesFeature,
  metricsFeature,
  reportsFeature,
  searchFeature,
);

export const accountingControllers = features.controllers;

/** `/accounting-system`: projects, providers, installations, definitions, capacities, metrics, reports. */
@Module({
  controllers: features.controllers,
  providers: [
    {
      provide: AccountingAccess,
      useFactory: accessOver,
      inject: [LIVE_READ_STORE, Completeness, OwnTokens, CredentialHashes, ErasedSubjects, LIVE_CLOCK, CONFIGURATION],
    },
    {
      provide: AccountingHttpPolicy,
      useFactory: (access: AccountingAccess, logger: Logger, ownUrl: () => string, { corsOrigins, amsListenerSecrets }: Configuration) =>
        new AccountingHttpPolicy(access, logger, ownUrl, corsOrigins.accounting, amsListenerSecrets),
      inject: [AccountingAccess, LOGGER, OWN_URL, CONFIGURATION],
    },
    References,
    ObjectIds,
    ProjectStreams,
    ...features.providers,
  ],
  exports: [ExternalProviderCatalogue],
})
export class AccountingModule {}
