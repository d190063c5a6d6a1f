import { Module } from '@nestjs/common';
import { CONFIGURATION, LIVE_READ_STORE, LOGGER } from '#api/shared/tokens.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { RESULTS } from '#projections/status/results/report-reader.js';
import { StatusAccess } from './access.js';
import { datedRecordProviders } from './dated-records/index.js';
import { downtimeProviders } from './downtimes/downtimes.controller.js';
import { feedProviders } from './feeds/index.js';
import { healthProviders } from './health/index.js';
import { StatusHttpPolicy } from './http-policy.js';
import { statusControllers } from './index.js';
import { metricDataProviders } from './metric-data/index.js';
import { metricListProviders } from './metric-list/index.js';
import { metricSourceProviders } from './metric-source/index.js';
import { notificationProviders } from './notifications/index.js';
import { recomputationProviders } from './recomputations/index.js';
import { RunProgress } from './recomputations/runs/run-progress.js';
import { reportProviders } from './reports/index.js';
import { resultsProviders } from './results/reader-providers.js';
import { tenantProviders } from './tenants/index.js';
import { timelineProviders } from './timelines/index.js';
import { topologyProviders } from './topology/index.js';
import { v4Providers } from './v4/index.js';

/** `/api/v2` and `/api/v3`: dated profiles, topology, downtimes, metric results, reports, recomputations, tenants. */
@Module({
  controllers: [...statusControllers],
  providers: [
    {
      provide: StatusAccess,
      useFactory: (store: ReadStore, completeness: Completeness, hashes: CredentialHashes, erased: ErasedSubjects) =>
        new StatusAccess(store, completeness, hashes, erased),
      inject: [LIVE_READ_STORE, Completeness, CredentialHashes, ErasedSubjects],
    },
    {
      provide: StatusHttpPolicy,
      useFactory: (access: StatusAccess, logger: Logger, { corsOrigins }: Configuration) =>
        new StatusHttpPolicy(access, logger, corsOrigins.status),
      inject: [StatusAccess, LOGGER, CONFIGURATION],
    },
    ...datedRecordProviders,
    ...topologyProviders,
    ...downtimeProviders,
    ...tenantProviders,
    ...reportProviders,
    ...recomputationProviders,
    ...feedProviders,
    ...metricListProviders,
    ...metricDataProviders,
    ...timelineProviders,
    ...v4Providers,
    ...healthProviders,
    ...resultsProviders,
    ...metricSourceProviders,
    ...notificationProviders,
  ],
  exports: [RESULTS, RunProgress],
})
export class StatusModule {}
