import type { FastifyRequest } from 'fastify';
import { pathOf } from './request-target.js';

/** Ids and days that the services made or parsed: a UUID, 24 hexadecimal digits, `YYYY-MM-DD`. Other values may be secret. */
const HARMLESS = /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{24}|\d{4}-\d{2}-\d{2})$/i;

/** Parameters that are always secret or personal. */
const HIDDEN: ReadonlySet<string> = new Set(['token', 'key', 'user_id']);

/** In the pattern of a route: a literal colon, or a parameter with its constraint. */
const PARAMETER = /::|:(\w+)(?:\(\^\[\^\/\]\+\))?/g;

/** Prefixes of all paths. */
const PREFIX = /^\/(?:v1|api\/v[2-5]|accounting-system|ops|audit|health|docs)(?=\/)/;

/** The path of a request for events: without its query, and without secret or personal parameters. */
export const auditedPath = ({ url, routeOptions, params }: Pick<FastifyRequest, 'url' | 'routeOptions' | 'params'>): string => {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  if (routeOptions.url === undefined || !Object.keys(values).some((name) => HIDDEN.has(name))) return pathOf(url);
  return routeOptions.url.replace(PARAMETER, (_, name: string | undefined) => {
    if (name === undefined) return ':';
    return HIDDEN.has(name) ? `:${name}` : encodeURIComponent(values[name] ?? '');
  });
};

/**
 * The path of a request for the log: the pattern of its route with the ids in it, as in `/v1/users:byToken/:token`. It has no query, which
 * may contain a key. For a path without a route, which may contain anything, only the service.
 */
export const loggedPath = (request: Pick<FastifyRequest, 'url' | 'routeOptions' | 'params' | 'is404'>): string => {
  const { is404, params } = request;
  const { url } = request.routeOptions;
  if (is404 || url === undefined) return `${PREFIX.exec(request.url)?.[0] ?? ''}/...`;
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  return url.replace(PARAMETER, (_, name: string | undefined) => {
    if (name === undefined) return ':';
    const value = values[name] ?? '';
    return HARMLESS.test(value) && !HIDDEN.has(name) ? value : `:${name}`;
  });
};
