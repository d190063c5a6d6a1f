import { lookup } from 'node:dns/promises';
import { hostOf, type NetworkScope, reachOf } from '#infra/platform/outgoing/addresses.js';
import { HttpSender } from '#infra/platform/outgoing/http-sender.js';

/** Limits of an answer: total time, and bytes of its body. */
const TIME_LIMIT_MS = 3_000;
const SIZE_LIMIT = 512 * 1024;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether keys may be fetched from an address: it uses TLS, or is on this machine. */
export const isTrustworthy = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === '';
};

type JsonObject = Readonly<Record<string, unknown>>;

/** Resolves names with the system's resolver, and sends requests restricted to a scope. */
export type Network = Readonly<{
  addressesOf(host: string): Promise<readonly string[]>;
  senderWithin(reach: NetworkScope): Pick<HttpSender, 'send' | 'close'>;
}>;

const addressesOf = async (host: string): Promise<readonly string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/** Fetches the documents of one issuer: its discovery document, and the documents named there. */
export class IssuerDocuments {
  private readonly senders = new Map<NetworkScope, Pick<HttpSender, 'send' | 'close'>>();

  private constructor(
    private readonly issuer: string,
    private readonly reach: NetworkScope,
    private readonly network: Network,
  ) {}

  /**
   * An internal issuer's discovery document is fetched from private addresses only, so that its name gains nothing by resolving to others
   * later.
   * @throws if the issuer has neither an https URL nor an http URL on this machine, or its name does not resolve, or resolves to public and
   * private addresses
   */
  static async of(
    issuer: string,
    network: Network = { addressesOf, senderWithin: (reach) => new HttpSender(reach) },
  ): Promise<IssuerDocuments> {
    assertTrustworthy(issuer);
    return new IssuerDocuments(issuer, await reachOfHost(issuer, network), network);
  }

  /** @throws as {@link named} */
  discovery(): Promise<JsonObject> {
    return this.fetch(`${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, this.reach);
  }

  /**
   * Fetches a document named by the discovery document; redirects are not followed. A public issuer may name public addresses only, so that
   * its document cannot make this server send requests into its own network. An internal one may name both kinds.
   * @throws if there is no JSON object within three seconds, the address is neither https nor http on this machine, it is http and the
   * issuer https, it is private and the issuer public, or both private and public
   */
  async named(address: string): Promise<JsonObject> {
    assertTrustworthy(address);
    if (new URL(this.issuer).protocol === 'https:' && new URL(address).protocol !== 'https:')
      throw new Error(`${address} is not https as its issuer is`);
    return this.fetch(address, this.reach === 'public' ? 'public' : await reachOfHost(address, this.network));
  }

  close(): void {
    for (const sender of this.senders.values()) sender.close();
  }

  private async fetch(url: string, reach: NetworkScope): Promise<JsonObject> {
    const sender = this.senders.get(reach) ?? this.network.senderWithin(reach);
    this.senders.set(reach, sender);
    const { status, body } = await sender.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      timeoutMs: TIME_LIMIT_MS,
      maxBodyBytes: SIZE_LIMIT,
    });
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    if (body.length > SIZE_LIMIT) throw new Error(`${url} answered more than ${SIZE_LIMIT} bytes`);
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${url} did not answer an object`);
    return { ...value };
  }
}

const assertTrustworthy = (address: string): void => {
  if (!isTrustworthy(address)) throw new Error(`${address} is neither https nor http on this machine`);
};

/** Scope of the addresses of a URL's host. Later requests are restricted to it, even if the name then resolves to others. */
const reachOfHost = async (url: string, network: Network): Promise<NetworkScope> => {
  const reach = reachOf(await network.addressesOf(hostOf(new URL(url))));
  if (!reach) throw new Error(`${url} has public and private addresses`);
  return reach;
};
