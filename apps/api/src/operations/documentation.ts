import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtFile } from '#api/shared/build.js';
import { sendShared } from '#api/shared/http/answer.js';
import { registerGuides } from './guides.js';

const NOTHING = Buffer.from('{"openapi":"3.1.0","info":{"title":"Logbook, not built","version":"0"},"paths":{}}');

/** The description of the API is made in the build; tests of sources have none. */
export const description = (): Buffer => {
  const file = builtFile('openapi.json');
  return existsSync(file) ? readFileSync(file) : NOTHING;
};

/** The page loads nothing from other hosts and sends requests only to this one, whatever its address contains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Swagger UI sets styles of single elements
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** All addresses are relative, so that the page works behind a proxy that adds a prefix. */
const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Logbook</title>
  <link rel="stylesheet" href="./docs/swagger-ui.css">
  <link rel="icon" type="image/png" sizes="32x32" href="./docs/favicon-32x32.png">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="./docs/swagger-ui-bundle.js"></script>
  <script src="./docs/start.js"></script>
</body>
</html>
`;

const startOf = (tries: boolean): string => `SwaggerUIBundle({
  url: new URL('openapi.json', location.href).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayOperationId: true,
  displayRequestDuration: true,
  tryItOutEnabled: ${tries},
  ${tries ? '' : 'supportedSubmitMethods: [],'}
  validatorUrl: null,
});
`;

/** Files of Swagger UI that the page needs. */
const FILES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

const folderOfSwaggerUi = (): string => (createRequire(import.meta.url)('swagger-ui-dist/absolute-path.js') as () => string)();

/** A page at `/docs` to browse the description of the API, and the guides at `/guides`. `tries`: whether the page makes calls */
export const servePages = (fastify: FastifyInstance, tries: boolean): void => {
  registerGuides(fastify);
  fastify.get('/docs', (_request: unknown, reply: FastifyReply) =>
    reply.header('content-security-policy', POLICY).header('x-content-type-options', 'nosniff').type('text/html; charset=utf-8').send(PAGE),
  );
  // The addresses in the page are relative to a path without a trailing slash.
  fastify.get('/docs/', (_request: unknown, reply: FastifyReply) => reply.redirect('../docs', 302));
  fastify.get('/docs/start.js', (_request: unknown, reply: FastifyReply) =>
    reply.type('text/javascript; charset=utf-8').send(startOf(tries)),
  );
  fastify.register(fastifyStatic, {
    root: folderOfSwaggerUi(),
    prefix: '/docs/',
    decorateReply: false,
    index: false,
    allowedPath: (path: string) => FILES.has(path.startsWith('/') ? path : `/${path}`),
  });
};

/** `/openapi.json` and the pages. */
export const setUpDocumentation = (app: NestFastifyApplication): void => {
  const fastify = app.getHttpAdapter().getInstance();
  const described = description();
  fastify.get('/openapi.json', (_request: unknown, reply: FastifyReply) =>
    sendShared(reply.type('application/json; charset=utf-8'), described),
  );
  servePages(fastify, true);
};
