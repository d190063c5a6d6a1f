import { Module } from '@nestjs/common';
import { together } from '#api/shared/feature.js';
import { provides } from '#api/shared/provides.js';
import { CONFIGURATION, LIVE_READ_STORE, LOGGER } from '#api/shared/tokens.js';
import { ErasedSubjects } from '#infra/engine/erasure/erased-subjects.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { RESULTS } from '#projections/status/results/report-reader.js';
import { StatusAccess } from './access.js';
import { BackgroundWork, WorkProblems } from './background-work.js';
import { datedRecordsFeature } from './dated-records/index.js';
import { downtimesFeature } from './downtimes/downtimes.controller.js';
import { feedsFeature } from './feeds/index.js';
import { healthFeature } from './health/index.js';
import { StatusHttpPolicy } from './http-policy.js';
import { metricDataFeature } from './metric-data/index.js';
import { metricListFeature } from './metric-list/index.js';
import { metricSourceFeature } from './metric-source/index.js';
import { notificationsFeature } from './notifications/index.js';
import { openMetricsFeature } from './open-metrics/index.js';
import { recomputationsFeature } from './recomputations/index.js';
import { RunProgress } from './recomputations/runs/run-progress.js';
import { reportReadsFeature } from './report-reads.js';
import { reportsFeature } from './reports/index.js';
import { tenantsFeature } from './tenants/index.js';
import { topologyFeature } from './topology/index.js';
import { VersionController } from './version.controller.js';

const features = together(
  datedRecordsFeature,
  reportsFeature,
  recomputationsFeature,
  tenantsFeature,
  topologyFeature,
  downtimesFeature,
  feedsFeature,
  metricListFeature,
  metricDataFeature,
  reportReadsFeature,
  healthFeature,
  openMetricsFeature,
  metricSourceFeature,
  notificationsFeature,
);

export const statusControllers = [...features.controllers, VersionController];

/** `/api/v2` and `/api/v3`: dated profiles, topology, downtimes, metric results, reports, recomputations, tenants. */
@Module({
  controllers: statusControllers,
  providers: [
    provides(
      StatusAccess,
      [LIVE_READ_STORE, Completeness, CredentialHashes, ErasedSubjects],
      (store, completeness, hashes, erased) => new StatusAccess(store, completeness, hashes, erased),
    ),
    provides(
      StatusHttpPolicy,
      [StatusAccess, LOGGER, CONFIGURATION],
      (access, logger, { corsOrigins }) => new StatusHttpPolicy(access, logger, corsOrigins.status),
    ),
    BackgroundWork,
    WorkProblems,
    ...features.providers,
  ],
  exports: [RESULTS, RunProgress],
})
export class StatusModule {}
