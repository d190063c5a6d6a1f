import { Module } from '@nestjs/common';
import { OperationsModule } from '#api/operations/operations.module.js';
import { StatusModule } from '#api/status/status.module.js';
import { ActorsController } from './actors/actors.controller.js';
import { ChangesController } from './changes/changes.controller.js';
import { ChangesFeed } from './changes/changes-feed.js';
import { AuditCalls } from './events/audit-calls.js';
import { EventTypesController } from './events/event-types.controller.js';
import { EventsController } from './events/events.controller.js';
import { AnchorsController } from './integrity/anchors.controller.js';
import { ProofsController } from './integrity/proofs.controller.js';
import { ResourcesController } from './resources/resources.controller.js';
import { FiguresController } from './results/figures.controller.js';
import { ResultsExplanationController } from './results/results.controller.js';
import { ResultsThen } from './results/results-then.js';
import { StreamsController } from './streams/streams.controller.js';
import { VerificationsController } from './verifications/verifications.controller.js';

/** `/audit`: events, their actors, and proof of their integrity (operations contract 2 and 3). */
@Module({
  imports: [OperationsModule, StatusModule],
  controllers: [
    AnchorsController,
    ProofsController,
    ChangesController,
    EventsController,
    EventTypesController,
    StreamsController,
    ActorsController,
    VerificationsController,
    ResourcesController,
    ResultsExplanationController,
    FiguresController,
  ],
  providers: [AuditCalls, ChangesFeed, ResultsThen],
})
export class AuditModule {}
