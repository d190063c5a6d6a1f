import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { builtFile } from '#api/shared/build.js';
import { pathPrefixBy } from '#api/shared/http/paths/path-prefix.js';
import type { Configuration } from '#infra/platform/config/configuration.js';

/** All content comes from this server, and no inline script or style runs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page under `/console`, with routes in the browser, and its files under `/console/assets` (console contract 1). Without the output of
 * `tools/console.mjs` (tests of sources) there is no page.
 */
export const registerPage = (fastify: FastifyInstance, configuration: Pick<Configuration, 'trustedProxies' | 'publicUrl'>): void => {
  const folder = builtFile('console');
  if (!existsSync(folder)) return;
  const template = readFileSync(join(folder, 'index.html'), 'utf8');
  const prefixOf = pathPrefixBy(configuration);
  const page = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', POLICY)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(template.replaceAll('{assets}', `${prefixOf(request)}/console/assets`));
  fastify.get('/console', page);
  fastify.get('/console/*', page);
  fastify.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/console/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    maxAge: '365d',
    immutable: true,
    setHeaders: (reply) => reply.header('vary', 'Accept-Encoding').header('x-content-type-options', 'nosniff'),
  });
};
