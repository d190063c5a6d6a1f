import type { AddressInfo } from 'node:net';
import type { Configuration } from '#infra/config/configuration.js';

/** Hosts that say "every address of this machine" are no names to find it by. */
const WILDCARDS = ['0.0.0.0', '::'];

/** Where clients find the server: as configured, else where it listens; never what a request says. */
export const publicUrl = (
  { publicUrl: configured, host, port }: Pick<Configuration, 'publicUrl' | 'host' | 'port'>,
  address: AddressInfo | string | null,
): string => {
  if (configured !== undefined) return configured;
  const name = WILDCARDS.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${typeof address === 'object' && address ? address.port : port}`;
};
