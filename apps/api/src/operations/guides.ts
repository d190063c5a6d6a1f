import { existsSync } from 'node:fs';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { builtFile } from '#api/shared/build.js';

/** The pages have no script and load nothing from other hosts. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Pages of the guides and contracts at `/guides`, as `tools/guides.mjs` makes them in the build; tests of sources have none. */
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
    setHeaders: (reply) =>
      reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer').header('x-content-type-options', 'nosniff'),
  });
};
