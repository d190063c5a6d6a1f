import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ACCESS_CATEGORY } from '#domain/accounting/access-events.js';
import { ACCESS_KEYS_CATEGORY } from '#domain/shared/access-keys.js';
import type { Configuration } from '#infra/config/configuration.js';
import { ProviderCatalogue } from './accounting/provider-catalogue.js';
import { createApp } from './app.js';
import { ensureAdministrators } from './credentials.js';
import { PushService } from './messaging/push-service.js';
import { openRuntime, type Runtime } from './runtime.js';

export type Server = Readonly<{ url: string; runtime: Runtime; close(): Promise<void> }>;

/** A server that accepts requests: stores open, read models following the log, administrators in place. */
export const startServer = async (configuration: Configuration): Promise<Server> => {
  const runtime = await openRuntime(configuration);
  let app: NestFastifyApplication | undefined;
  /** Ends pushing, stops accepting, lets running requests finish, then commands, read models and stores, in this order. */
  const close = async (): Promise<void> => {
    await app?.close();
    await runtime.close();
  };
  try {
    if (configuration.oidcIssuers.length > 0 && configuration.oidcAudiences.length === 0)
      runtime.logger.warn(
        { issuers: configuration.oidcIssuers },
        'LOGBOOK_OIDC_AUDIENCE is not set: tokens of the issuers that were made for other services are taken, too',
      );
    const credentials = await ensureAdministrators(runtime);
    if (credentials) runtime.logger.info({ credentials }, 'keys of the first administrators were generated: see this file');
    runtime.readModels.start();
    runtime.eraser.start();
    // Whoever sees `listening` may come with a key at once. Bounded: a read store that is down must not keep the server from answering.
    for (const category of [ACCESS_KEYS_CATEGORY, ACCESS_CATEGORY])
      await runtime.readModels.applied(category, await runtime.eventStore.head([category]));
    app = await createApp(runtime);
    await app.init(); // before it, commands have no handlers
    await app.get(ProviderCatalogue).start();
    await app.listen(configuration.port, configuration.host);
    const url = await app.getUrl();
    if (configuration.roles.includes('push')) await app.get(PushService).start(new URL(url).host);
    runtime.logger.info(
      {
        url,
        eventLog: configuration.eventStoreUrl ? 'EventStoreDB' : 'embedded',
        readModels: configuration.redisUrl ? 'Redis' : 'embedded',
      },
      'listening',
    );
    return { url, runtime, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Serves until SIGTERM or SIGINT. A second signal ends the process at once. */
export const serve = async (configuration: Configuration): Promise<void> => {
  const server = await startServer(configuration);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  server.runtime.logger.info({ signal }, 'shutting down');
  await server.close();
};
