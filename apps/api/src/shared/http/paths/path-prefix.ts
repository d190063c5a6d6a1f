import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { firstOf } from '#api/shared/http/request-context.js';
import type { Configuration } from '#infra/platform/config/configuration.js';

const PREFIX = /^(?:\/[\w.~-]{1,100}){1,10}\/?$/;
const isPlain = (prefix: string): boolean => PREFIX.test(prefix) && !/\/\.{1,2}(?:\/|$)/.test(prefix);

const rangesOf = (proxies: readonly string[]): BlockList => {
  const ranges = new BlockList();
  for (const proxy of proxies) {
    const [address = '', length] = proxy.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    ranges.addSubnet(address, Number(length ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return ranges;
};

/**
 * Prefix before the paths of this server as the caller sees it, without a trailing slash: from `X-Forwarded-Prefix` of a trusted proxy, or
 * else the path of the public URL. A value that is not a plain path counts as empty.
 */
export const pathPrefixBy = ({ trustedProxies, publicUrl }: Pick<Configuration, 'trustedProxies' | 'publicUrl'>) => {
  const ranges = rangesOf(trustedProxies);
  const configured = publicUrl === undefined ? '' : new URL(publicUrl).pathname;
  const fallback = isPlain(configured) ? configured.replace(/\/$/, '') : '';
  return ({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): string => {
    const { remoteAddress = '' } = socket;
    const family = isIP(remoteAddress);
    const given = firstOf(headers['x-forwarded-prefix']);
    if (given === undefined || family === 0 || !ranges.check(remoteAddress, family === 4 ? 'ipv4' : 'ipv6')) return fallback;
    return isPlain(given) ? given.replace(/\/$/, '') : '';
  };
};
