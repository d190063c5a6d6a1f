import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import type { HttpClient } from '#test/support/status-client.js';

/** What the push listener of the accounting service takes, on servers that are started with it. */
export const LISTENER_SECRET = 'listener-secret';

/** What stands for a parameter of a path. */
const VALUES: Readonly<Record<string, string>> = { project: 'p', topic: 't', subscription: 's', schema: 'j' };

/** A call of the API, its path with values for parameters: project `p` with topic `t`, subscription `s` and schema `j`, else `x`. */
export type ApiRoute = Readonly<{ method: string; path: string }>;

/** All calls that the API documents. */
export const allRoutes = async (root: HttpClient): Promise<readonly ApiRoute[]> => {
  const { paths } = (await root.get('/openapi.json')).json as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([template, methods]) => {
    const path = template.replaceAll(/\{(\w+)[^}]*\}/g, (_parameter, name: string) => VALUES[name] ?? 'x');
    return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }));
  });
};

/** The documented calls below `prefix` that are none of these, each a method and a path below the prefix. */
export const uncalled = async (root: HttpClient, prefix: string, calls: readonly (readonly [method: string, path: string])[]) => {
  const documented = (await allRoutes(root)).filter(({ method, path }) => method !== 'OPTIONS' && path.startsWith(`${prefix}/`));
  if (documented.length <= 70) throw new Error(`only ${documented.length} calls below ${prefix} are documented`);
  return documented.filter(({ method, path }) => {
    const shape = new RegExp(`^${path.slice(prefix.length).replaceAll(/\/x(?=\/|$)/g, '/[^/]+')}$`);
    return !calls.some(([called, at]) => called === method && shape.test(at.split('?')[0] ?? at));
  });
};

export const takesBody = ({ method }: ApiRoute): boolean => ['POST', 'PUT', 'PATCH'].includes(method);

/** A credential that lets a call in; `tenantKey`: that of a tenant's administrator. */
export const credentialFor = (path: string, tenantKey: string): Readonly<Record<string, string>> => {
  if (path.startsWith('/v1')) return { 'x-api-key': SERVICE_TOKEN };
  if (path.endsWith('/ams-listener')) return { authorization: LISTENER_SECRET };
  if (path.startsWith('/accounting')) return { authorization: `Bearer ${SYSTEM_ADMIN}` };
  if (path.startsWith('/api/v2/admin')) return { 'x-api-key': ADMIN };
  return { 'x-api-key': path.startsWith('/ops') ? OPERATOR : tenantKey };
};
