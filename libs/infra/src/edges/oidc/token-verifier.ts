import { hash } from 'node:crypto';
import { decodeJwt, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#domain/shared/clock.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { isTrustworthy } from './fetch-json.js';
import { IssuerKeys, LEEWAY_SECONDS, TokenRefused } from './issuer-keys.js';
import { OWN_ISSUER, type OwnTokens } from './own-tokens.js';

export type TokenClaims = JWTPayload;

/** A verified token. `holds`: returns whether it is still valid, by its expiry and by the known keys of its issuer. */
export type VerifiedToken = Readonly<{ claims: TokenClaims; holds: () => boolean }>;

/** Size of the cache of verified tokens, in characters. */
const MAX_TOKENS_LENGTH = 8_000_000;
const MAX_ISSUERS = 1_000;

/** Form of a JWT: header, claims and signature. Other credentials are not parsed. */
const JWT = /^[^.]*\.[^.]+\.[^.]*$/;

/** The unverified claims of a JWT; `undefined` if the text is not a JWT. */
export const unverifiedClaims = (token: string): TokenClaims | undefined => {
  if (!JWT.test(token)) return undefined;
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
};

/** Verifies tokens of this installation and of OpenID Connect issuers. Caches keys, and verified tokens while they are valid. */
export class TokenVerifier {
  private readonly issuers = new LRUCache<string, IssuerKeys>({ max: MAX_ISSUERS });
  private readonly verified = new LRUCache<string, VerifiedToken>({ maxSize: MAX_TOKENS_LENGTH });

  constructor(
    private readonly own: OwnTokens,
    private readonly clock: Clock,
    /** An issuer's token must have one of them in `aud`; empty: not checked. */
    private readonly audiences: readonly string[] = [],
  ) {}

  /**
   * `issuer`: URL of an accepted issuer, or {@link OWN_ISSUER}, as named in the token's claims.
   * @throws TokenRefused, IssuerUnavailable
   */
  async verify(token: string, issuer: string): Promise<VerifiedToken> {
    const key = hash('sha256', `${issuer}\n${token}`);
    const known = this.verified.get(key);
    if (known?.holds()) return known;
    const verified = await (issuer === OWN_ISSUER ? this.ofOwn(token) : this.ofIssuer(token, issuer));
    this.verified.set(key, verified, { size: token.length });
    return verified;
  }

  private async ofOwn(token: string): Promise<VerifiedToken> {
    const claims = await this.own.verify(token);
    return { claims, holds: () => this.isInTime(claims) };
  }

  private async ofIssuer(token: string, issuer: string): Promise<VerifiedToken> {
    if (!isTrustworthy(issuer)) throw new TokenRefused('keys cannot be fetched safely from the issuer');
    const { claims, keysHold } = await this.keysOf(issuer).verify(token);
    return { claims, holds: () => this.isInTime(claims, LEEWAY_SECONDS) && keysHold() };
  }

  private isInTime({ exp = Number.POSITIVE_INFINITY }: TokenClaims, leewaySeconds = 0): boolean {
    return (exp + leewaySeconds) * 1_000 > this.clock();
  }

  private keysOf(issuer: string): IssuerKeys {
    return getOrInsert(this.issuers, issuer, () => new IssuerKeys(issuer, this.clock, this.audiences));
  }
}
