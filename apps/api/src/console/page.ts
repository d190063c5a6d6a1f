import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { Problem } from '#api/ops-kit/problem.js';
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

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type Encoding = 'br' | 'gzip' | 'identity';
const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

type Asset = Readonly<{ type: string; bodies: Readonly<Record<Encoding, Buffer>> }>;

/** Files of the build, by name, each plain and compressed. They are few and small enough for memory. */
const assetsIn = (folder: string): ReadonlyMap<string, Asset> =>
  new Map(
    readdirSync(folder).flatMap((name): [string, Asset][] => {
      const type = TYPES[extname(name)];
      const body = (encoding: Encoding): Buffer => readFileSync(join(folder, name + ENDINGS[encoding]));
      return type === undefined ? [] : [[name, { type, bodies: { br: body('br'), gzip: body('gzip'), identity: body('identity') } }]];
    }),
  );

/** The encoding with the smallest result among those that the client accepts. */
const encodingFor = ({ headers: { 'accept-encoding': accepted = 'identity' } }: FastifyRequest): Encoding => {
  const taken = new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings();
  return ENCODINGS.find((encoding) => taken.includes(encoding)) ?? 'identity';
};

const sendAsset = (request: FastifyRequest, reply: FastifyReply, { type, bodies }: Asset): FastifyReply => {
  const encoding = encodingFor(request);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('vary', 'Accept-Encoding')
    .header('x-content-type-options', 'nosniff')
    .type(type)
    .send(bodies[encoding]);
};

/**
 * The page under `/console`, with routes in the browser, and its files under `/console/assets` (console contract 1). Without the output of
 * `tools/console.mjs` (tests of sources) there is no page.
 */
export const registerPage = (fastify: FastifyInstance, configuration: Pick<Configuration, 'trustedProxies' | 'publicUrl'>): void => {
  const folder = builtFile('console');
  if (!existsSync(folder)) return;
  const template = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = assetsIn(join(folder, 'assets'));
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
  fastify.get('/console/assets/:name', (request: FastifyRequest<{ Params: Readonly<{ name: string }> }>, reply) => {
    const asset = assets.get(request.params.name);
    if (!asset) throw new Problem(404, 'there is nothing at this path');
    return sendAsset(request, reply, asset);
  });
};
