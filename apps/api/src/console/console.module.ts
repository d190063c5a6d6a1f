import { Module } from '@nestjs/common';
import { OperationsModule } from '#api/operations/operations.module.js';
import { queriesProvider } from '#api/shared/provides.js';
import { CLOCK, CONFIGURATION, LOGGER, READ_STORE } from '#api/shared/tokens.js';
import type { Clock } from '#domain/shared/clock.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { LiveController } from './live.controller.js';
import { Live } from './live.js';
import { Nodes } from './nodes.js';
import { Overview } from './overview.js';
import { ServicesNow } from './services/services-now.js';
import { SessionController } from './session.controller.js';

/** Own parts of the console: its session and its live overview. It uses `/ops`, `/audit` and the services for everything else. */
@Module({
  imports: [OperationsModule],
  controllers: [SessionController, LiveController],
  providers: [
    Overview,
    ServicesNow,
    queriesProvider(CatalogueQueries),
    queriesProvider(TenantQueries),
    {
      provide: Nodes,
      useFactory: (store: ReadStore, { roles }: Configuration, clock: Clock, logger: Logger) => new Nodes(store, roles, clock, logger),
      inject: [READ_STORE, CONFIGURATION, CLOCK, LOGGER],
    },
    { provide: Live, useFactory: (overview: Overview) => new Live(() => overview.look()), inject: [Overview] },
  ],
})
export class ConsoleModule {}
