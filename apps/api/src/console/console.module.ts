import { Module } from '@nestjs/common';
import { OperationsModule } from '#api/operations/operations.module.js';
import { CLOCK, CONFIGURATION, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { LiveController } from './live.controller.js';
import { Live } from './live.js';
import { Nodes } from './nodes.js';
import { Overview } from './overview.js';
import { SessionController } from './session.controller.js';

/** What the console has of its own: its session and its live overview. All else it takes from `/ops`, `/audit` and the services. */
@Module({
  imports: [OperationsModule],
  controllers: [SessionController, LiveController],
  providers: [
    Overview,
    {
      provide: Nodes,
      useFactory: (store: ReadStore, { roles }: Configuration, clock: Clock, logger: Logger) => new Nodes(store, roles, clock, logger),
      inject: [READ_STORE, CONFIGURATION, CLOCK, LOGGER],
    },
    { provide: Live, useFactory: (overview: Overview) => new Live(() => overview.look()), inject: [Overview] },
  ],
})
export class ConsoleModule {}
