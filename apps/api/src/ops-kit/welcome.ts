import type { FastifyRequest } from 'fastify';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { pathPrefixBy } from '#api/shared/http/paths/path-prefix.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import type { Configuration } from '#infra/platform/config/configuration.js';

/** Leads a browser that asks for the root of the server to the console. */
export const welcomeBy = (configuration: Pick<Configuration, 'console' | 'trustedProxies' | 'publicUrl'>) => {
  const prefixOf = pathPrefixBy(configuration);
  return (request: FastifyRequest): string | undefined => {
    if (!configuration.console || pathOf(request.url) !== '/' || !['GET', 'HEAD'].includes(request.method)) return undefined;
    const prefersPage = acceptedType(request.headers.accept, ['application/json', 'application/problem+json', 'text/html']) === 'text/html';
    return prefersPage ? `${prefixOf(request)}/console` : undefined;
  };
};
