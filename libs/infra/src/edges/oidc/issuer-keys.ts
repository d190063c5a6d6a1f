import { type CryptoKey, createLocalJWKSet, decodeProtectedHeader, errors, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { sameIssuer } from '#domain/accounting/access/clients.js';
import type { Clock } from '#domain/shared/clock.js';
import { assertAccessToken } from './access-token.js';
import { IssuerDocuments } from './fetch-json.js';

/** The keys of an issuer are temporarily unavailable: its tokens can be neither accepted nor refused. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** The token is invalid: not signed by the issuer, expired, or meant for another use. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Claims of a verified token. `keysHold`: returns whether the keys that verified it are still known to be the issuer's. */
type IssuerClaims = Readonly<{ claims: JWTPayload; keysHold: () => boolean }>;

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
/** Older keys are refreshed in the background. */
const FRESH_MS = 10 * 60_000;
/** Older keys are not trusted; they must be fetched first. */
const TRUSTED_MS = 60 * 60_000;
/** Pause after a failed fetch. */
const PAUSE_MS = 2_000;
/** Tokens with unknown keys cause at most this many fetches in a row, plus one per interval. */
const BURST = 5;
const REFILL_MS = 10_000;

/** Seconds by which the clock of an issuer may differ from ours. */
export const LEEWAY_SECONDS = 60;

const isKey = (value: unknown): value is JWK => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys of a set. Entries that are no keys are ignored (RFC 7517 section 5). */
const keysIn = (value: object): readonly JWK[] | undefined =>
  'keys' in value && Array.isArray(value.keys) ? value.keys.filter(isKey) : undefined;

/** Returns whether a key that the issuer has had for a moment only may have signed the token: it names none that is known. */
const mayHaveNewKey = (error: unknown, token: string): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  (error instanceof errors.JWSSignatureVerificationFailed && decodeProtectedHeader(token).kid === undefined);

/**
 * Caches the keys of an OpenID Connect issuer, found through its discovery document. A token with an unknown key causes another fetch, so
 * that an issuer can change its keys at any time; the number of these fetches is limited (decision 0015).
 */
export class IssuerKeys {
  private keys: KeySet | undefined;
  /** The key set as text, to detect changes. */
  private text = '';
  private fetchedAt = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private failure: unknown;
  private fetching: Promise<KeySet> | undefined;
  private allowance = BURST;
  private refilledAt: number;

  /**
   * @param issuer its URL, https or http on loopback
   * @param audiences one of them must be in the `aud` of a token; empty: not checked
   */
  constructor(
    private readonly issuer: string,
    private readonly clock: Clock,
    private readonly audiences: readonly string[] = [],
  ) {
    this.refilledAt = clock();
  }

  /** @throws TokenRefused, IssuerUnavailable */
  async verify(token: string): Promise<IssuerClaims> {
    const keys = await this.current();
    try {
      return await this.verifyWith(keys, token);
    } catch (error) {
      if (!mayHaveNewKey(error, token)) throw new TokenRefused('the token does not verify', { cause: error });
    }
    if (this.keys === keys && !this.mayLookAgain()) throw new TokenRefused('the issuer had no such key a moment ago');
    const newer = this.keys === keys || !this.keys ? await this.fetch() : this.keys;
    return this.verifyWith(newer, token).catch((cause: unknown) => {
      throw new TokenRefused('the token does not verify', { cause });
    });
  }

  /** Tries each key that fits if the token does not say which one signed it. */
  private async verifyWith(keys: KeySet, token: string): Promise<IssuerClaims> {
    try {
      return await this.verifyBy(keys, token, keys);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error)
        try {
          return await this.verifyBy(key, token, keys);
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
        }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  private async verifyBy(key: CryptoKey | KeySet, token: string, keys: KeySet): Promise<IssuerClaims> {
    const { payload, protectedHeader } = await jwtVerify(token, typeof key === 'function' ? key : () => key, {
      algorithms: ALGORITHMS,
      currentDate: new Date(this.clock()),
      clockTolerance: LEEWAY_SECONDS,
      requiredClaims: ['exp'],
      ...(this.audiences.length > 0 && { audience: [...this.audiences] }),
    });
    assertAccessToken(protectedHeader, payload, this.audiences.length > 0);
    return { claims: payload, keysHold: () => this.trusted() === keys };
  }

  private async current(): Promise<KeySet> {
    return this.trusted() ?? this.fetch();
  }

  /** The keys, unless they are too old. Keys that are no longer fresh are refreshed in the background. */
  private trusted(): KeySet | undefined {
    const age = this.since(this.fetchedAt);
    if (age > TRUSTED_MS) return undefined;
    if (age > FRESH_MS && !this.fetching) this.fetch().catch(() => {}); // until then the current keys are used
    return this.keys;
  }

  /** Returns whether the limit allows another fetch, and counts it. */
  private mayLookAgain(): boolean {
    this.refilledAt = Math.min(this.refilledAt, this.clock());
    const refills = Math.floor((this.clock() - this.refilledAt) / REFILL_MS);
    this.allowance = Math.min(BURST, this.allowance + refills);
    this.refilledAt += refills * REFILL_MS;
    if (this.allowance === 0) return false;
    this.allowance--;
    return true;
  }

  /** Milliseconds since a time. If the clock was set back, the difference counts as elapsed time. */
  private since(time: number): number {
    return Math.abs(this.clock() - time);
  }

  /** Runs one fetch at a time, shared by all callers, and none shortly after a failure. */
  private fetch(): Promise<KeySet> {
    if (this.fetching) return this.fetching;
    if (this.since(this.failedAt) < PAUSE_MS) return Promise.reject(this.unavailable());
    this.fetching = this.load()
      .then((keys) => {
        this.keys = keys;
        this.fetchedAt = this.clock();
        return keys;
      })
      .catch((error: unknown) => {
        this.failedAt = this.clock();
        this.failure = error;
        throw this.unavailable();
      })
      .finally(() => {
        this.fetching = undefined;
      });
    return this.fetching;
  }

  private unavailable(): IssuerUnavailable {
    return new IssuerUnavailable(`the keys of ${this.issuer} are unavailable`, { cause: this.failure });
  }

  /** Fetches the keys; returns the current key set if they are unchanged. */
  private async load(): Promise<KeySet> {
    const documents = await IssuerDocuments.of(this.issuer);
    try {
      return await this.loadFrom(documents);
    } finally {
      documents.close();
    }
  }

  private async loadFrom(documents: IssuerDocuments): Promise<KeySet> {
    const discovery = await documents.discovery();
    if (typeof discovery.issuer !== 'string' || !sameIssuer(discovery.issuer, this.issuer))
      throw new Error('the discovery document is of another issuer');
    if (typeof discovery.jwks_uri !== 'string') throw new Error('the discovery document has no jwks_uri');
    const keys = keysIn(await documents.named(discovery.jwks_uri));
    if (!keys) throw new Error('there is no key set at jwks_uri');
    const text = JSON.stringify(keys);
    if (this.keys && text === this.text) return this.keys;
    this.text = text;
    return createLocalJWKSet({ keys: [...keys] });
  }
}
