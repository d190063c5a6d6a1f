import { startServer } from '#api/server.js';
import { loadConfiguration } from '#infra/config/configuration.js';
import { serveParent } from './child.js';

/** The server as `npm start` runs it, told its environment by the bench. */
await serveParent((environment: Readonly<Record<string, string>>) => startServer(loadConfiguration(environment)));
