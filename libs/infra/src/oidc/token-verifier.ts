import { decodeJwt, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#domain/shared/clock.js';
import { hashCredential } from '../secrets/hash-credential.js';
import { isTrustworthy } from './fetch-json.js';
import { IssuerKeys, TokenRefused } from './issuer-keys.js';
import { OWN_ISSUER, type OwnTokens } from './own-tokens.js';

/** What a token says of its holder. */
export type TokenClaims = JWTPayload;

/** How long a token that verified is believed without another look: a key withdrawn by its issuer is in force no longer than this. */
const BELIEVED_MS = 30_000;
/** Of all tokens that are remembered, in characters. */
const MAX_TOKENS_LENGTH = 8_000_000;
const MAX_ISSUERS = 1_000;

/** The claims of a JWT that nobody has verified; nothing when the text is none. */
export const unverifiedClaims = (token: string): TokenClaims | undefined => {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
};

/** Verifies tokens of this installation and of OpenID Connect issuers; keys and verified tokens are remembered for a while. */
export class TokenVerifier {
  private readonly issuers = new LRUCache<string, IssuerKeys>({ max: MAX_ISSUERS });
  private readonly verified = new LRUCache<string, TokenClaims>({ maxSize: MAX_TOKENS_LENGTH, ttl: BELIEVED_MS });

  constructor(
    private readonly own: OwnTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * The claims of a token. `issuer`: the URL of an issuer that is accepted, or {@link OWN_ISSUER}; the token claims to be of it.
   * @throws TokenRefused, IssuerUnavailable
   */
  async verify(token: string, issuer: string): Promise<TokenClaims> {
    const key = hashCredential(`${issuer}\n${token}`);
    const known = this.verified.get(key);
    if (known && (known.exp ?? Number.POSITIVE_INFINITY) * 1_000 > this.clock()) return known;
    if (issuer !== OWN_ISSUER && !isTrustworthy(issuer)) throw new TokenRefused('keys cannot be fetched safely from the issuer');
    const claims = await (issuer === OWN_ISSUER ? this.own : this.keysOf(issuer)).verify(token);
    this.verified.set(key, claims, { size: token.length });
    return claims;
  }

  private keysOf(issuer: string): IssuerKeys {
    const known = this.issuers.get(issuer);
    if (known) return known;
    const keys = new IssuerKeys(issuer, this.clock);
    this.issuers.set(issuer, keys);
    return keys;
  }
}
