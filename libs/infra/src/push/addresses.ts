import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Ranges outside the public internet: IANA's special-purpose registries (RFC 6890 and later), and multicast. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Only `2000::/3` is global in IPv6. These ranges within it are not, or carry an IPv4 address that would have to be checked instead. */
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const privateV4 = new BlockList();
for (const [net, prefix] of PRIVATE_V4) privateV4.addSubnet(net, prefix, 'ipv4');
const privateV6 = new BlockList();
for (const [net, prefix] of PRIVATE_V6) privateV6.addSubnet(net, prefix, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address belongs to the public internet: not private, loopback, link-local, multicast or reserved. */
export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !privateV4.check(address, 'ipv4');
  return isIP(address) === 6 && globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6');
};

/** The endpoint is a non-public address, or its name resolves to one. Nothing is sent there. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  constructor(readonly host: string) {
    super(`${host} has no public address`);
  }
}

/** Host of a URL, with the brackets of an IPv6 address removed. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** @throws PrivateAddress the host of the URL is itself a non-public address; for names see {@link lookupPublic} */
export const assertPublicLiteral = (url: URL): void => {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddress(host);
};

/**
 * Resolves a name for a connection, to public addresses only. The connection is made to one of the returned addresses, so a name that
 * resolves to something else a moment later (DNS rebinding) has no effect.
 */
export const lookupPublic: LookupFunction = (host, options: LookupOptions, callback) => {
  resolve(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, []);
    const addresses = found.filter(({ address }) => isPublicAddress(address));
    const [first] = addresses;
    if (!first) return callback(new PrivateAddress(host), []);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
