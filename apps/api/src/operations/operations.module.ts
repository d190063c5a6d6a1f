import { Module } from '@nestjs/common';
import { AccountingModule } from '#api/accounting/accounting.module.js';
import { LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Logger } from '#infra/logging/logger.js';
import { Completeness } from '#infra/projection-runner/completeness.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import { StreamProcessor } from '#infra/stream-processor/stream-processor.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { HealthController } from './health.controller.js';
import { OperationsHttpPolicy } from './http-policy.js';
import { KeysController } from './keys.controller.js';
import { PartitionOperator } from './partition-operator.js';
import { ProjectionsController } from './projections.controller.js';
import { RebuildsController } from './rebuilds.controller.js';

/** `/ops` and `/health`: keys, read models, rebuilds. */
@Module({
  imports: [AccountingModule],
  controllers: [KeysController, ProjectionsController, RebuildsController, HealthController],
  providers: [
    {
      provide: PartitionOperator,
      useFactory: (processor: StreamProcessor, readModels: ReadModels) => new PartitionOperator({ processor, readModels }),
      inject: [StreamProcessor, ReadModels],
    },
    {
      provide: OperationsHttpPolicy,
      useFactory: (store: ReadStore, completeness: Completeness, logger: Logger) => new OperationsHttpPolicy(store, completeness, logger),
      inject: [READ_STORE, Completeness, LOGGER],
    },
  ],
})
export class OperationsModule {}
