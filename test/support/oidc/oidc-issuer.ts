import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export type IssuedToken = Readonly<{
  /** Seconds from now; default an hour. Negative: it has expired. `null`: no such claim. */
  expiresIn?: number | null;
  /** Instead of the issuer's own URL; `null`: no such claim. */
  issuer?: string | null;
  algorithm?: 'RS256' | 'ES256';
  /** Of the header; default `JWT`. `null`: none. */
  type?: string | null;
  /** The header names no key. */
  anonymous?: boolean;
}>;

/** An OpenID Connect issuer on loopback: discovery document, JWKS, and tokens signed with its keys. */
export type OidcIssuer = Readonly<{
  url: string;
  token(claims: JWTPayload, options?: IssuedToken): Promise<string>;
  /** Other keys from now on; tokens signed with the old ones verify no more. */
  rotate(): Promise<void>;
  /** How often the keys were fetched. */
  fetches(): number;
  /** How often it was asked for anything. */
  requests(): number;
  /** What the discovery document names instead of the issuer's own keys. */
  nameKeysAt(address: string): void;
  /** Changes what the key set contains. */
  showKeys(shown: (own: readonly JWK[]) => readonly unknown[]): void;
  /** Sends the documents a byte at a time from now on, without ever finishing. */
  drip(): void;
  /** Answers every call with 500 from now on, or no longer. */
  fail(failing: boolean): void;
  stop(): Promise<void>;
}>;

type KeyPairs = Readonly<Record<'RS256' | 'ES256', Readonly<{ privateKey: CryptoKey; jwk: JWK }>>>;

/** Keys of issuers that were stopped: new ones take tenths of a second. */
const spare: KeyPairs[] = [];

const makeKeys = async (): Promise<KeyPairs> => {
  const pair = async (algorithm: 'RS256' | 'ES256') => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), alg: algorithm, use: 'sig' } };
  };
  return { RS256: await pair('RS256'), ES256: await pair('ES256') };
};

/**
 * @param path of the issuer's URL, for example `/realms/one`
 * @param now milliseconds since 1970-01-01 UTC; default: the system's clock
 */
export const startOidcIssuer = async (path = '', now: () => number = Date.now): Promise<OidcIssuer> => {
  let [fetched, asked, failing] = [0, 0, false];
  const generations: KeyPairs[] = [];
  const rotate = async () => void generations.push(spare.pop() ?? (await makeKeys()));
  await rotate();
  const current = (algorithm: 'RS256' | 'ES256') => {
    const { privateKey, jwk } = (generations.at(-1) as KeyPairs)[algorithm];
    return { privateKey, jwk: { ...jwk, kid: `${algorithm}-${generations.length}` } };
  };
  let dripping = false;
  let keysAt: string | undefined;
  let shownKeys = (own: readonly JWK[]): readonly unknown[] => own;
  const server = createServer((request, response) => {
    asked++;
    const documents: Readonly<Record<string, () => object>> = {
      [`${path}/.well-known/openid-configuration`]: () => ({ issuer: url, jwks_uri: keysAt ?? `${url}/keys` }),
      [`${path}/keys`]: () => {
        fetched++;
        return { keys: shownKeys([current('RS256').jwk, current('ES256').jwk]) };
      },
    };
    const document = documents[request.url ?? ''];
    if (dripping) {
      const drop = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(drop));
      return;
    }
    response.statusCode = failing ? 500 : document ? 200 : 404;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(!failing && document ? document() : {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return {
    url,
    token: (claims, { expiresIn = 3_600, issuer = url, algorithm = 'RS256', type = 'JWT', anonymous = false } = {}) => {
      const { privateKey, jwk } = current(algorithm);
      const lifetime = expiresIn === null ? {} : { exp: Math.floor(now() / 1_000) + expiresIn };
      return new SignJWT({ ...claims, ...(issuer === null ? {} : { iss: issuer }), ...lifetime })
        .setProtectedHeader({ alg: algorithm, ...(!anonymous && { kid: jwk.kid }), ...(type !== null && { typ: type }) })
        .sign(privateKey);
    },
    rotate,
    fetches: () => fetched,
    requests: () => asked,
    nameKeysAt: (address) => {
      keysAt = address;
    },
    showKeys: (shown) => {
      shownKeys = shown;
    },
    drip: () => {
      dripping = true;
    },
    fail: (value) => {
      failing = value;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      spare.push(...generations);
    },
  };
};
