import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ACCOUNTING } from '#api/accounting/openapi/description.js';
import { documentPast } from '#api/as-of/documentation.js';
import { PastApplication } from '#api/as-of/past-application.js';
import { MESSAGING } from '#api/messaging/openapi/description.js';
import { completeOperations, OPERATIONS } from '#api/operations/complete-documentation.js';
import { HEALTH_OF_SERVER } from '#api/operations/health-description.js';
import type { Runtime } from '#api/runtime/runtime.js';
import { build } from '#api/shared/build.js';
import { addSchemes, nameCredentials } from '#api/shared/openapi/security.js';
import { TAGS } from '#api/shared/openapi/tags.js';
import { declaredRoutes } from '#api/shared/routes/declared-routes.js';
import { describeServices } from '#api/shared/routes/describe.js';
import { completeIds } from '#api/shared/routes/operation-ids.js';
import { STATUS } from '#api/status/openapi/description.js';
import { applicationModule } from './app.js';
import { describeCallers } from './callers-of-operations.js';

/** Placeholder for everything below HTTP: only the kinds of providers are used. */
const NOTHING = { configuration: { roles: [], console: true }, erasing: {} } as unknown as Runtime;
const NO_PAST = Object.create(PastApplication.prototype) as PastApplication;

const DESCRIPTION = `Messaging, accounting, and status & reporting of a research e-infrastructure, on one event log.

| Paths | Service | Credential |
| --- | --- | --- |
| \`/v1\` | messaging | token of a user in \`x-api-key\`, or \`Authorization: Bearer …\` |
| \`/accounting-system\` | accounting | access token: \`Authorization: Bearer …\` |
| \`/api/v2\` to \`/api/v5\` | status and reporting | key of a user of a tenant in \`x-api-key\`; \`/api/v2/admin\`: key of an administrator |
| \`/ops\`, \`/audit\` | operations and audit | key of an operator or auditor in \`x-api-key\` |
| \`/console\` | the page for operators and auditors | the same |

Reads of the three services can be asked as of the past (\`Logbook-As-Of\`); a POST that carries an \`Idempotency-Key\` can be repeated.
\`X-Correlation-Id\`, 1 to 128 characters of visible ASCII, names the conversation of a call and of all that follows from it; every answer has it.
[Guides by role](guides/) have first steps; the contracts ([messaging](guides/messaging-contract), [accounting](guides/accounting-contract),
[status](guides/status-contract), [operations and audit](guides/operations-contract)) say what the calls mean.`;

const settings = () => {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Logbook')
    .setDescription(DESCRIPTION)
    .setVersion(build.version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    // Relative to the URL of this document: the same server, even behind a proxy that adds a prefix.
    .addServer('.', 'the server of this document');
  addSchemes(builder);
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  return builder.build();
};

/** The description of the whole API. It needs no stores: only the framework is instantiated. */
export const createDocument = async (): Promise<OpenAPIObject> => {
  const module = applicationModule(NOTHING, () => '', NO_PAST);
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  const bare = SwaggerModule.createDocument(app, settings());
  const routes = declaredRoutes(app);
  const operations = completeOperations(describeServices(documentPast(bare), [OPERATIONS], routes));
  const described = describeServices(operations, [MESSAGING, ACCOUNTING, STATUS, HEALTH_OF_SERVER], routes);
  return completeIds(nameCredentials(describeCallers(described, routes)), new Set(routes.keys()));
};
