import type { AddressInfo } from 'node:net';
import type { Configuration } from '#infra/config/configuration.js';

/** Hosts that say "every address of this machine" are no names to find it by. */
const WILDCARDS = ['0.0.0.0', '::'];

/** Where clients find the server: as configured, else where it listens (`address`: nothing before it does); never what a request says. */
export const publicUrl = (
  { publicUrl: configured, host, port }: Pick<Configuration, 'publicUrl' | 'host' | 'port'>,
  address: () => AddressInfo | string | null,
): (() => string) => {
  const name = WILDCARDS.includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  let known = configured;
  return () => {
    if (known !== undefined) return known;
    const bound = address();
    if (typeof bound !== 'object' || bound === null) return `http://${name}:${port}`;
    known = `http://${name}:${bound.port}`;
    return known;
  };
};
