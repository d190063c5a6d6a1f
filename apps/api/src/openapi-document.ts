import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ACCOUNTING } from '#api/accounting/openapi/description.js';
import { documentPast } from '#api/as-of/documentation.js';
import { PastApplication } from '#api/as-of/past-application.js';
import { MESSAGING } from '#api/messaging/openapi/description.js';
import { completeOperations } from '#api/operations/complete-documentation.js';
import { HEALTH_OF_SERVER } from '#api/operations/health-description.js';
import { build } from '#api/shared/build.js';
import { describeServices } from '#api/shared/openapi/describe.js';
import { nameOperations } from '#api/shared/openapi/operation-ids.js';
import { LISTENER_SECRET, openToAll } from '#api/shared/openapi/security.js';
import { TAGS } from '#api/shared/openapi/tags.js';
import { asVersion31 } from '#api/shared/openapi/version-31.js';
import { STATUS } from '#api/status/openapi/description.js';
import { applicationModule } from './app.js';
import type { Runtime } from './runtime.js';

/** Stands for everything below HTTP: only the kinds of providers are looked at. */
const NOTHING = { configuration: { roles: [] }, erasing: {} } as unknown as Runtime;
const NO_PAST = Object.create(PastApplication.prototype) as PastApplication;

const settings = () => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Logbook')
    .setDescription('Messaging, accounting, and status & reporting of a research e-infrastructure, on one event log')
    .setVersion(build.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'this server')
    .addApiKey({ type: 'apiKey', name: 'x-api-key', in: 'header' }, 'x-api-key')
    .addBearerAuth()
    .addApiKey({ type: 'apiKey', name: 'authorization', in: 'header' }, LISTENER_SECRET);
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
};

/** The description of the whole API. Needs no stores: nothing is instantiated but the framework. */
export const createDocument = async (): Promise<OpenAPIObject> => {
  const module = applicationModule(NOTHING, () => '', NO_PAST);
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const bare = SwaggerModule.createDocument(app, settings());
  const described = describeServices(completeOperations(documentPast(bare)), [MESSAGING, ACCOUNTING, STATUS, HEALTH_OF_SERVER]);
  return asVersion31(nameOperations(openToAll(described)));
};
