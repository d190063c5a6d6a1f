import type { JWSHeaderParameters, JWTPayload } from 'jose';

/** Media types of the header's `typ` that access tokens have, without `application/` (RFC 7519 5.1, RFC 9068 2.1). Some issuers leave it out. */
const TYPES: readonly unknown[] = ['jwt', 'at+jwt'];
/** The claim `typ` of access tokens of issuers such as Keycloak; their ID tokens, refresh tokens and logout tokens have other values. */
const KINDS: readonly unknown[] = ['bearer', 'jwt', 'at+jwt'];
/** Claims that only ID tokens (OpenID Connect Core 2, 3.3.2.11) or logout tokens (Back-Channel Logout 2.4) have. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value);

/** Claims that access tokens have and ID tokens do not (RFC 9068 2.2, RFC 8693 4.2, and `scp` of some issuers). */
const OWN_CLAIMS = ['scope', 'scp', 'client_id'];

/** Whether the token was made for a client that is not among its audiences: an ID token is for the client itself (OpenID Connect Core 2). */
const isForAnother = ({ azp, aud }: JWTPayload): boolean => typeof azp === 'string' && aud !== undefined && ![aud].flat().includes(azp);

/**
 * Refuses a token that its issuer signed for another use.
 * @param marked something in it must say that it is an access token: an ID token may lack all that tells it apart, and its audience is a client, which
 *   may be among those that are accepted. Default: only what says that it is another kind of token counts
 * @throws Error that names the telling claim
 */
export const assertAccessToken = ({ typ }: Pick<JWSHeaderParameters, 'typ'>, claims: JWTPayload, marked = false): void => {
  const type = lowerCase(typ);
  if (type !== undefined && !TYPES.includes(type)) throw new Error('the header says that it is another kind of token');
  const kind = lowerCase(claims.typ);
  if (kind !== undefined && !KINDS.includes(kind)) throw new Error('the claim typ is of another kind of token');
  // Some issuers also put `nonce` into access tokens, which they mark as such.
  if (type === 'at+jwt' || kind === 'bearer' || kind === 'at+jwt') return;
  const foreign = FOREIGN_CLAIMS.find((name) => claims[name] !== undefined);
  if (foreign !== undefined) throw new Error(`access tokens have no claim ${foreign}`);
  if (marked && !OWN_CLAIMS.some((name) => claims[name] !== undefined) && !isForAnother(claims))
    throw new Error('nothing says that it is an access token');
};
