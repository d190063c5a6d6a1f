import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Configuration } from '#infra/platform/config/configuration.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** URL of the server as the caller sees it, without a trailing slash, for links of the status service. */
    readonly publicUrl: string;
  }
}

/** Hosts that mean all addresses of this machine cannot be used in URLs. */
const WILDCARDS = ['0.0.0.0', '::'];

/** URL of the server for clients, never from a request: as configured, or else its address (`address`: empty until it listens). */
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

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986 3.2.2, only characters of server names). */
const HOST = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * URL of the server as the caller sees it: as `configured`, or else from the scheme and host of the request. Fastify takes those from
 * `X-Forwarded-*` only if a trusted proxy sent them. As a caller can send anything, an invalid scheme or host is replaced by `fallback`.
 */
export const publicUrlOf = (
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
  configured: string | undefined,
  fallback: () => string,
): string => {
  if (configured !== undefined) return configured;
  return HOST.test(host) && (protocol === 'http' || protocol === 'https') ? `${protocol}://${host}` : fallback();
};
