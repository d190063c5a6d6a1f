import { hkdfSync } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '#domain/shared/clock.js';
import { TokenRefused } from './issuer-keys.js';

/** The issuer of tokens made by Logbook itself; the same wherever it runs, so that clients keep their identity when it moves. */
export const OWN_ISSUER = 'logbook';

const ALGORITHM = 'HS256';

export type TokenRequest = Readonly<{
  /** The id of the client. */
  subject: string;
  /** Count in the entitlement mode `oidc` only. */
  entitlements: readonly string[];
  /** Milliseconds from now. */
  lifetime: number;
}>;

/** Tokens that this installation issues and takes, signed with a key that follows from the master key: the same on every node. */
export class OwnTokens {
  private readonly key: Uint8Array;

  constructor(
    masterKey: Buffer,
    private readonly clock: Clock,
  ) {
    this.key = new Uint8Array(hkdfSync('sha256', masterKey, '', 'logbook accounting tokens', 32));
  }

  issue({ subject, entitlements, lifetime }: TokenRequest): Promise<string> {
    const now = this.clock();
    return new SignJWT(entitlements.length > 0 ? { entitlements: [...entitlements] } : {})
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(OWN_ISSUER)
      .setSubject(subject)
      .setIssuedAt(Math.floor(now / 1_000))
      .setExpirationTime(Math.floor((now + lifetime) / 1_000))
      .sign(this.key);
  }

  /** The claims of a token issued here. @throws TokenRefused */
  async verify(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        issuer: OWN_ISSUER,
        algorithms: [ALGORITHM],
        requiredClaims: ['exp'],
        currentDate: new Date(this.clock()),
      });
      return payload;
    } catch (cause) {
      throw new TokenRefused('the token does not verify', { cause });
    }
  }
}
