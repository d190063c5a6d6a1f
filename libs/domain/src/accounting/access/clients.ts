import { sha256 } from '#domain/shared/bytes/sha256.js';

/**
 * Id of a client that registers in this service. It is derived from the claims, so a token's holder is found without a search. The read model also
 * finds migrated clients by this id, although they keep their old one.
 */
export const actorIdOf = (issuer: string, oidcId: string): string => sha256(JSON.stringify([issuer, oidcId])).slice(0, 24);

const comparable = (issuer: string): string => issuer.replace(/\/$/, '').toLowerCase();

/** Compares issuers, ignoring letter case and a trailing slash. */
export const sameIssuer = (left: string, right: string): boolean => comparable(left) === comparable(right);
