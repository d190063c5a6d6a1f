import { lookup } from 'node:dns/promises';
import { hostOf, type NetworkScope, reachOf } from '#infra/platform/outgoing/addresses.js';
import { HttpSender } from '#infra/platform/outgoing/http-sender.js';

/** Limits of an answer: time until its end, and bytes of its body. */
const TIME_LIMIT_MS = 3_000;
const SIZE_LIMIT = 512 * 1024;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether keys may be fetched from an address: it uses TLS, or is on this machine. */
export const isTrustworthy = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === '';
};

type JsonObject = Readonly<Record<string, unknown>>;

/** Addresses of a name, as the system knows them, and requests that stay within a reach. */
export type Network = Readonly<{
  addressesOf(host: string): Promise<readonly string[]>;
  senderWithin(reach: NetworkScope): Pick<HttpSender, 'send' | 'close'>;
}>;

const addressesOf = async (host: string): Promise<readonly string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/** Fetches the documents of one issuer: its discovery document, and those that this names. */
export class IssuerDocuments {
  private readonly senders = new Map<NetworkScope, Pick<HttpSender, 'send' | 'close'>>();

  private constructor(
    private readonly issuer: string,
    private readonly reach: NetworkScope,
    private readonly network: Network,
  ) {}

  /**
   * The discovery document of an issuer inside is fetched from private addresses only, so that a name that resolves to other addresses later gains
   * nothing by having been private.
   * @throws when the issuer has neither an https URL nor an http URL on this machine, or its name does not resolve, or to public and private addresses
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
   * Fetches what the discovery document names; redirects are not followed. A public issuer names public addresses only: its document must not make
   * this server send requests into its own network. One inside may name either.
   * @throws when there is no JSON object within three seconds, the address is neither https nor http on this machine, it is http and the issuer https,
   * or it is private and the issuer public, or both private and public
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

/** Scope of the addresses of a URL's host. A later request is held to it, whatever the name resolves to by then. */
const reachOfHost = async (url: string, network: Network): Promise<NetworkScope> => {
  const reach = reachOf(await network.addressesOf(hostOf(new URL(url))));
  if (!reach) throw new Error(`${url} has public and private addresses`);
  return reach;
};
