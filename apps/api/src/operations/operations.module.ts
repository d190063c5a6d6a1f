import { Module } from '@nestjs/common';
import { AccountingModule } from '#api/accounting/accounting.module.js';
import { KeysController } from '#api/operations/access-keys/keys.controller.js';
import { CertificatesController } from '#api/operations/certificates/certificates.controller.js';
import * as certificateCommands from '#api/operations/certificates/commands.js';
import * as erasureCommands from '#api/operations/erasures/commands.js';
import { ErasureProgress } from '#api/operations/erasures/erasure-progress.js';
import { ErasuresController } from '#api/operations/erasures/erasures.controller.js';
import { PartitionOperator } from '#api/operations/projections/partition-operator.js';
import { ProjectionsController } from '#api/operations/projections/projections.controller.js';
import { RebuildsController } from '#api/operations/projections/rebuilds.controller.js';
import { VerificationsController } from '#api/operations/projections/verifications.controller.js';
import { ConsoleSessions } from '#api/ops-kit/console-sessions.js';
import { OperationsHttpPolicy } from '#api/ops-kit/http-policy.js';
import { OpsKeys } from '#api/ops-kit/ops-keys.js';
import { PersonalNames } from '#api/ops-kit/personal-names.js';
import { ReadTrail } from '#api/ops-kit/read-trail.js';
import { handlersOf } from '#api/shared/commands/command-of.js';
import { provides, queriesProvider } from '#api/shared/provides.js';
import { CLOCK, CONFIGURATION, HISTORY_KEEPER, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import { RunProgress } from '#api/status/recomputations/runs/run-progress.js';
import { StatusModule } from '#api/status/status.module.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { Completeness } from '#infra/engine/projection-runner/completeness.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { MemoryWatch } from '#infra/stores/read-store/store-memory.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { AttachedSubscriptions } from '#projections/messaging/resources/attached-subscriptions.js';
import { ResourceCounts } from '#projections/messaging/resources/queries.js';
import { TrafficQueries } from '#projections/messaging/traffic/queries.js';
import { AccessKeyQueries } from '#projections/operations/access-keys/queries.js';
import { CertificateQueries } from '#projections/operations/certificates/queries.js';
import { SubjectQueries } from '#projections/operations/subjects/queries.js';
import { PointQueries } from '#projections/status/metric-results/point-queries.js';
import { MetricSourceQueries } from '#projections/status/metric-source/queries.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { ReportQueries } from '#projections/status/reports/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import * as accessKeyCommands from './access-keys/commands.js';
import { noteRefusalBy } from './access-keys/note-refusal.js';
import { BackupRequests } from './backups/backup-requests.js';
import { BackupsController } from './backups/backups.controller.js';
import { FindingsNow } from './findings/findings-now.js';
import { GroupsController } from './findings/groups.controller.js';
import { GroupsOfAll } from './findings/groups-not-ok.js';
import { InstallationNow } from './findings/installation-now.js';
import { Nodes } from './findings/nodes.js';
import { FindingsOfJobs } from './findings/verified.js';
import { HealthController } from './health.controller.js';
import { LogController } from './log/log.controller.js';
import { AllSubscriptionsController } from './messaging/all-subscriptions.controller.js';
import { AllSubscriptions } from './messaging/all-subscriptions.js';
import { BacklogAges } from './messaging/backlog-ages.js';
import { Backlogs } from './messaging/backlogs.js';
import { DeadLettersController } from './messaging/dead-letters.controller.js';
import { FirstMessages } from './messaging/first-messages.js';
import { MessagingController } from './messaging/messaging.controller.js';
import { MessagingNow } from './messaging/messaging-now.js';
import { MetricSources } from './messaging/metric-sources.js';
import { PastTraffic } from './messaging/past-traffic.js';
import { SubscriptionRows } from './messaging/subscription-rows.js';
import { SubscriptionState } from './messaging/subscription-state.js';
import { WaitingInAll } from './messaging/waiting-in-all.js';
import { NamedRecords } from './names/named-records.js';
import { NamesController } from './names/names.controller.js';
import { Names } from './names/names.js';
import { SearchTurns } from './names/search-turns.js';
import { PlacesController } from './places/places.controller.js';
import { PlaceSearch } from './places/places.js';
import * as projectionCommands from './projections/commands.js';
import { JobRequests } from './projections/job-requests.js';
import { ProjectionJobs } from './projections/projection-jobs.js';
import { ResultsController } from './results/results.controller.js';
import { WaitingRecomputations } from './results/waiting-recomputations.js';
import { SigningKeysController } from './signing-keys/signing-keys.controller.js';
import { VersionController } from './version.controller.js';
import { WelcomeController } from './welcome.controller.js';

/** `/ops`, `/health`, `/version` and the root: keys, read models, rebuilds. */
@Module({
  imports: [AccountingModule, StatusModule],
  controllers: [
    KeysController,
    CertificatesController,
    ProjectionsController,
    RebuildsController,
    VerificationsController,
    SigningKeysController,
    BackupsController,
    LogController,
    HealthController,
    ErasuresController,
    ResultsController,
    MessagingController,
    AllSubscriptionsController,
    GroupsController,
    NamesController,
    DeadLettersController,
    PlacesController,
    VersionController,
    WelcomeController,
  ],
  providers: [
    provides(
      PartitionOperator,
      [StreamProcessor, Jobs, ReadModels, HISTORY_KEEPER],
      (processor, jobs, readModels, keeper) => new PartitionOperator({ processor, jobs, readModels, keeper: keeper ?? undefined }),
    ),
    provides(
      ProjectionJobs,
      [StreamProcessor, Jobs, ReadModels],
      (processor, jobs, readModels) => new ProjectionJobs({ processor, jobs, readModels }),
    ),
    JobRequests,
    provides(
      BackupRequests,
      [CONFIGURATION, Jobs, StreamProcessor],
      (configuration, jobs, processor) => new BackupRequests({ configuration, jobs, processor }),
    ),
    FirstMessages,
    Backlogs,
    WaitingInAll,
    AllSubscriptions,
    MessagingNow,
    GroupsOfAll,
    provides(FindingsOfJobs, [Jobs, ReadModels], (jobs, readModels) => new FindingsOfJobs(jobs, readModels)),
    provides(MemoryWatch, [READ_STORE, CLOCK], (store, clock) => new MemoryWatch(store, clock)),
    provides(
      Nodes,
      [READ_STORE, CONFIGURATION, CLOCK, LOGGER],
      (store, { roles }, clock, logger) => new Nodes(store, roles, clock, logger),
    ),
    InstallationNow,
    FindingsNow,
    queriesProvider(AttachedSubscriptions),
    queriesProvider(AccessKeyQueries),
    queriesProvider(CertificateQueries),
    queriesProvider(SubjectQueries),
    queriesProvider(AccessQueries),
    queriesProvider(CatalogueQueries),
    queriesProvider(TenantQueries),
    queriesProvider(ReportQueries),
    queriesProvider(PointQueries),
    queriesProvider(RecomputationQueries),
    queriesProvider(CatalogueLists),
    NamedRecords,
    Names,
    SearchTurns,
    PersonalNames,
    PlaceSearch,
    queriesProvider(TrafficQueries),
    PastTraffic,
    BacklogAges,
    MetricSources,
    SubscriptionRows,
    SubscriptionState,
    queriesProvider(MetricSourceQueries),
    queriesProvider(ResourceCounts),
    ErasureProgress,
    RunProgress,
    WaitingRecomputations,
    ...handlersOf(certificateCommands, erasureCommands, accessKeyCommands, projectionCommands),
    provides(
      OpsKeys,
      [READ_STORE, Completeness, CredentialHashes, CLOCK, CONFIGURATION],
      (store, completeness, hashes, clock, { console }) =>
        new OpsKeys(store, completeness, hashes, console ? new ConsoleSessions(store, clock) : null),
    ),
    provides(
      OperationsHttpPolicy,
      [OpsKeys, LOGGER, ReadTrail],
      (keys, logger, reads) => new OperationsHttpPolicy(keys, logger, noteRefusalBy(reads)),
    ),
  ],
  exports: [OpsKeys, FindingsNow, Names, Nodes, PersonalNames],
})
export class OperationsModule {}
