import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { FairQueue } from '#infra/platform/scheduling/fair-queue.js';

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

/** Allowed destinations of connections: the public internet only, or other addresses only. */
export type NetworkScope = 'public' | 'private';

/** Scope of these addresses; `undefined` if there are none, or only some are public. */
export const reachOf = (addresses: readonly string[]): NetworkScope | undefined => {
  const open = addresses.filter(isPublicAddress).length;
  if (open === addresses.length) return open === 0 ? undefined : 'public';
  return open === 0 ? 'private' : undefined;
};

/** The host is an address out of reach, its name resolves to one of them, or to nothing at all. Nothing is sent there. */
export class OutOfReach extends Error {
  override readonly name = 'OutOfReach';
  constructor(
    readonly host: string,
    reach: NetworkScope,
    options?: ErrorOptions,
  ) {
    super(`${host} has no ${reach} address`, options);
  }
}

/** Host of a URL, with the brackets of an IPv6 address removed. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** @throws OutOfReach the host of the URL is itself an address out of reach; for names see {@link lookupWithin} */
export const assertLiteralWithin = (reach: NetworkScope, url: URL): void => {
  const host = hostOf(url);
  if (isIP(host) !== 0 && reachOf([host]) !== reach) throw new OutOfReach(host, reach);
};

/** Resolves a name to all of its addresses, as `lookup` of `node:dns` does. */
type Resolve = (
  host: string,
  options: LookupOptions & Readonly<{ all: true }>,
  callback: (error: Error | null, found: LookupAddress[]) => void,
) => void;

/** A name that is refused is refused after this time, whatever is known of it when: callers must not learn which names exist inside. */
const REFUSED_MS = 2_000;

/**
 * Resolves names for connections. A name with one address out of reach is refused as a whole, and like one that does not exist. The connection is made
 * to one of the returned addresses, so a name that resolves to something else a moment later (DNS rebinding) has no effect.
 */
export const lookupWithin =
  (reach: NetworkScope, resolve: Resolve = lookup): LookupFunction =>
  (host, options: LookupOptions, callback) => {
    let cause: Error | null = null;
    let isRefused = false;
    const refusal = setTimeout(() => {
      isRefused = true;
      callback(new OutOfReach(host, reach, { cause }), []);
    }, REFUSED_MS);
    resolve(host, { ...options, all: true }, (error, found) => {
      cause = error;
      const [first] = error ? [] : found;
      if (!first || isRefused || reachOf(found.map(({ address }) => address)) !== reach) return;
      clearTimeout(refusal);
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };

/** Time for which an owner lets others go first after a slow look-up. Until then quick ones change nothing: names may be dead by turns. */
const SLOW_FOR_MS = 600_000;

/**
 * Look-ups of names that callers choose, one at a time; owners take turns. A look-up cannot be ended: as long as a name server does not answer,
 * it holds one of the two threads that the process has for names. After a slow look-up, its owner waits until no other owner does.
 */
export class LookUps {
  private readonly waiting = new FairQueue<() => void>();
  /** By owner, until when; oldest first. */
  private readonly slow = new Map<string, number>();
  private isBusy = false;

  constructor(
    private readonly reach: NetworkScope | 'anywhere',
    private readonly resolve: Resolve = lookup,
  ) {}

  /** The look-up of a connection. It does not begin after the signal. `begun` is called when its turn has come. */
  of(owner: string, signal: AbortSignal, begun: () => void = () => undefined): LookupFunction {
    return (host, options, callback) => {
      if (signal.aborted) return callback(signal.reason, []);
      const resolve: Resolve = (name, all, found) => {
        const begunAt = performance.now();
        this.resolve(name, all, (...result) => {
          this.ended(owner, performance.now() - begunAt);
          found(...result);
        });
      };
      const begin = (): void => {
        this.isBusy = true;
        begun();
        signal.removeEventListener('abort', leave);
        lookupIn(this.reach, resolve)(host, options, callback);
      };
      const leave = (): void => this.waiting.remove(owner, begin);
      if (!this.isBusy) {
        begin();
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.add(owner, begin);
    };
  }

  private ended(owner: string, milliseconds: number): void {
    this.isBusy = false;
    const now = performance.now();
    if (milliseconds > REFUSED_MS) this.slow.delete(owner);
    for (const [one, until] of this.slow) if (until <= now) this.slow.delete(one);
    if (milliseconds > REFUSED_MS) this.slow.set(owner, now + SLOW_FOR_MS);
    const quick = this.waiting.find((waiting) => !this.slow.has(waiting));
    this.waiting.take(quick?.owner)?.();
  }
}

const lookupIn = (reach: NetworkScope | 'anywhere', resolve: Resolve): LookupFunction => {
  if (reach !== 'anywhere') return lookupWithin(reach, resolve);
  return (host, options: LookupOptions, callback) =>
    resolve(host, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error || !first || options.all) callback(error, found ?? []);
      else callback(null, first.address, first.family);
    });
};
