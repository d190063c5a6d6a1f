import { lookup } from 'node:dns/promises';
import { assertPublicLiteral, isPublicAddress } from '#infra/push/addresses.js';
import { HttpSender } from '#infra/push/http-sender.js';

/** How long an answer may take with its body, and how long it may be. */
const TIME_LIMIT_MS = 3_000;
const SIZE_LIMIT = 512 * 1024;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether keys may be fetched from there: over TLS, or without leaving this machine. */
export const isTrustworthy = (address: string): boolean => {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  return (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) && username === '' && password === '';
};

/** Whether the host of a URL is on the public internet, with all of its addresses. @throws when its name does not resolve */
const isPublic = async ({ hostname }: URL): Promise<boolean> => {
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true });
  return addresses.every(({ address }) => isPublicAddress(address));
};

/** Fetches the documents of one issuer: the discovery document at its own address, and what that names. */
export class IssuerDocuments {
  private constructor(
    private readonly issuer: URL,
    private readonly sender: HttpSender,
    private readonly isPublic: boolean,
  ) {}

  /**
   * From a public issuer documents are fetched from public addresses only, whatever names resolve to: else its discovery document could
   * make this server send requests into the network that it stands in.
   * @throws when the issuer is neither https nor http on this machine, or its name does not resolve
   */
  static async of(issuer: string): Promise<IssuerDocuments> {
    if (!isTrustworthy(issuer)) throw new Error(`${issuer} is neither https nor http on this machine`);
    const url = new URL(issuer);
    const reachesPublicOnly = await isPublic(url);
    return new IssuerDocuments(url, new HttpSender(!reachesPublicOnly), reachesPublicOnly);
  }

  /**
   * The JSON object at an address; redirects are not followed.
   * @throws when there is none within three seconds, the address has another scheme than the issuer's, or is private although the issuer is public
   */
  async fetch(address: string): Promise<Readonly<Record<string, unknown>>> {
    this.assertAllowed(address);
    const { status, body } = await this.sender.send({
      method: 'GET',
      url: address,
      headers: { accept: 'application/json' },
      timeoutMs: TIME_LIMIT_MS,
      maxBodyBytes: SIZE_LIMIT,
    });
    if (status !== 200) throw new Error(`${address} answered ${status}`);
    if (body.length > SIZE_LIMIT) throw new Error(`${address} answered more than ${SIZE_LIMIT} bytes`);
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${address} did not answer an object`);
    return { ...value };
  }

  close(): void {
    this.sender.close();
  }

  private assertAllowed(address: string): void {
    if (!isTrustworthy(address)) throw new Error(`${address} is neither https nor http on this machine`);
    const url = new URL(address);
    if (url.protocol !== this.issuer.protocol) throw new Error(`${address} has another scheme than its issuer`);
    if (this.isPublic) assertPublicLiteral(url);
  }
}
