import type { FastifyRequest } from 'fastify';
import { pathOf } from './path-of.js';

/** Ids and days that the services themselves made or read: a UUID, 24 hexadecimal digits, `YYYY-MM-DD`. Anything else may be a secret. */
const HARMLESS = /^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{24}|\d{4}-\d{2}-\d{2})$/i;

/** Parameters that are secret or personal whatever they look like. */
const HIDDEN: ReadonlySet<string> = new Set(['token', 'key', 'user_id']);

/** In the pattern of a route: a colon that stands for itself, or a parameter with what it must match. */
const PARAMETER = /::|:(\w+)(?:\(\^\[\^\/\]\+\))?/g;

/** The beginnings of the paths that there are. */
const PREFIX = /^\/(?:v1|api\/v[2-5]|accounting-system|ops|audit|health|docs)(?=\/)/;

/** The path of a request as an event may hold it: without its query, and without parameters that are secret or personal. */
export const auditedPath = ({ url, routeOptions, params }: Pick<FastifyRequest, 'url' | 'routeOptions' | 'params'>): string => {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  if (routeOptions.url === undefined || !Object.keys(values).some((name) => HIDDEN.has(name))) return pathOf(url);
  return routeOptions.url.replace(PARAMETER, (_, name: string | undefined) => {
    if (name === undefined) return ':';
    return HIDDEN.has(name) ? `:${name}` : encodeURIComponent(values[name] ?? '');
  });
};

/**
 * What the log may hold of where a request went: the pattern of its route with the ids in it, as in `/v1/users:byToken/:token`. No query, which
 * may hold a key; of a path that is no route, which may hold anything, the service.
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
