import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtFile } from '#api/shared/build.js';

/** The pages load nothing from other hosts, and have no script. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** One page has a script, which reads the index of the search. */
const POLICY_OF_SEARCH = `${POLICY}; script-src 'self'; connect-src 'self'`;

/** Pages of the documents and of the calls at `/guides`, as `tools/guides` makes them in the build; tests of sources have none. */
export const registerGuides = (fastify: FastifyInstance): void => {
  const root = builtFile('guides');
  if (!existsSync(root)) return;
  // Links of the pages are relative, so that they work behind a proxy that adds a prefix.
  fastify.get('/guides', (_request: unknown, reply: FastifyReply) => reply.redirect('guides/', 302));
  fastify.register(fastifyStatic, {
    root,
    prefix: '/guides/',
    decorateReply: false,
    extensions: ['html'],
    setHeaders: (reply, path) =>
      reply
        .header('content-security-policy', path === join(root, 'search.html') ? POLICY_OF_SEARCH : POLICY)
        .header('referrer-policy', 'no-referrer')
        .header('x-content-type-options', 'nosniff'),
  });
};
