import { Module } from '@nestjs/common';
import { OperationsModule } from '#api/operations/operations.module.js';
import { queriesProvider } from '#api/shared/provides.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { LiveController } from './live.controller.js';
import { LiveStream } from './live.js';
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
    { provide: LiveStream, useFactory: (overview: Overview) => new LiveStream(() => overview.look()), inject: [Overview] },
  ],
})
export class ConsoleModule {}
