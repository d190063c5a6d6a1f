import type { JWSHeaderParameters, JWTPayload } from 'jose';

/** Media types of access tokens in the header's `typ`, without `application/` (RFC 7519 5.1, RFC 9068 2.1). Some issuers omit it. */
const TYPES: readonly unknown[] = ['jwt', 'at+jwt'];
/** Values of the claim `typ` in access tokens of issuers such as Keycloak. Their ID, refresh and logout tokens have other values. */
const KINDS: readonly unknown[] = ['bearer', 'jwt', 'at+jwt'];
/** Claims found only in ID tokens (OpenID Connect Core 2, 3.3.2.11) or logout tokens (Back-Channel Logout 2.4). */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];

const lowerCase = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase().replace(/^application\//, '') : value);

/** Claims found in access tokens but not in ID tokens (RFC 9068 2.2, RFC 8693 4.2, and `scp` of some issuers). */
const OWN_CLAIMS = ['scope', 'scp', 'client_id'];

/** Returns whether the token was issued to a client outside its audiences. An ID token is for the client itself (OpenID Connect Core 2). */
const isForAnother = ({ azp, aud }: JWTPayload): boolean => typeof azp === 'string' && aud !== undefined && ![aud].flat().includes(azp);

/**
 * Refuses a token that its issuer signed for another use.
 * @param marked whether the token must identify itself as an access token: an ID token may lack all distinguishing claims, and its audience
 * is a client, which may be an accepted audience. Default: only signs of another kind of token count
 * @throws Error that names the distinguishing claim
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
