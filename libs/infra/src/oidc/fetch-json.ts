import { lookup } from 'node:dns/promises';
import { hostOf, reachOf } from '#infra/push/addresses.js';
import { HttpSender } from '#infra/push/http-sender.js';

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

const addressesOf = async (host: string): Promise<readonly string[]> => (await lookup(host, { all: true })).map(({ address }) => address);

/** Fetches the documents of one issuer: its discovery document, and the documents that this names. */
export class IssuerDocuments {
  private constructor(
    private readonly issuer: URL,
    private readonly sender: HttpSender,
  ) {}

  /**
   * Documents of a public issuer are fetched from public addresses only, whatever names resolve to: otherwise its discovery document could make
   * this server send requests into its own network. Those of an issuer inside are fetched from private addresses only, so that its name is of no use
   * outside.
   * @param resolve addresses of a name. Default: as the system knows them
   * @throws when the issuer has neither an https URL nor an http URL on this machine, or its name does not resolve, or to public and private addresses
   */
  static async of(issuer: string, resolve: (host: string) => Promise<readonly string[]> = addressesOf): Promise<IssuerDocuments> {
    if (!isTrustworthy(issuer)) throw new Error(`${issuer} is neither https nor http on this machine`);
    const url = new URL(issuer);
    const reach = reachOf(await resolve(hostOf(url)));
    if (!reach) throw new Error(`${issuer} has public and private addresses`);
    return new IssuerDocuments(url, new HttpSender(reach));
  }

  /**
   * Fetches a JSON object; redirects are not followed.
   * @throws when there is none within three seconds, the scheme differs from the issuer's, or one of the address and the issuer is private and
   * the other public
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
    if (new URL(address).protocol !== this.issuer.protocol) throw new Error(`${address} has another scheme than its issuer`);
  }
}
