import { hkdfSync } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '#domain/shared/clock.js';
import { TokenRefused } from './issuer-keys.js';

/** Issuer of Logbook's own tokens. It does not depend on the address, so that clients keep their identity when the server moves. */
export const OWN_ISSUER = 'logbook';

const ALGORITHM = 'HS256';

type TokenRequest = Readonly<{
  /** Id of the client. */
  subject: string;
  /** Used only in the entitlement mode `oidc`. */
  entitlements: readonly string[];
  /** Lifetime in milliseconds. */
  lifetime: number;
}>;

/** Issues and verifies tokens of this installation. The signing key is derived from the master key, so that all nodes have it. */
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
