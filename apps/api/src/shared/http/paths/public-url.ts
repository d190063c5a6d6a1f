import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Configuration } from '#infra/platform/config/configuration.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the caller of this request finds the server, without a slash at the end: the start of links of the status service. */
    readonly publicUrl: string;
  }
}

/** Hosts that say "every address of this machine" are no names to find it by. */
const WILDCARDS = ['0.0.0.0', '::'];

/** Where clients find the server: as configured, else where it listens (`address`: nothing before it does); never what a request says. */
export const publicUrl = (
  { publicUrl: configured, host, port, tls }: Pick<Configuration, 'publicUrl' | 'host' | 'port' | 'tls'>,
  address: () => AddressInfo | string | null,
): (() => string) => {
  const name = WILDCARDS.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const start = `${tls ? 'https' : 'http'}://${name}`;
  let known = configured;
  return () => {
    if (known !== undefined) return known;
    const bound = address();
    if (typeof bound !== 'object' || bound === null) return `${start}:${port}`;
    known = `${start}:${bound.port}`;
    return known;
  };
};

/** A name, an IPv4 address or an IPv6 address in brackets, and maybe a port (RFC 3986 3.2.2, without what no server is called). */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Where the caller found the server: as `configured`, else by the scheme and host of the request. Fastify takes those from `X-Forwarded-*` only
 * where a trusted proxy sent them. A caller can write anything there: what is no scheme or host is replaced by `fallback`.
 */
export const publicUrlOf = (
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
  configured: string | undefined,
  fallback: () => string,
): string => {
  if (configured !== undefined) return configured;
  return HOST.test(host) && (protocol === 'http' || protocol === 'https') ? `${protocol}://${host}` : fallback();
};
