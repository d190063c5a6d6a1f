import { sha256 } from '#domain/shared/sha256.js';

/**
 * Id of a client that registers in this service. It follows from the claims, so that the holder of a token is found without a search; of those that were
 * brought over with another id, the read model knows it by this one.
 */
export const actorIdOf = (issuer: string, oidcId: string): string => sha256(JSON.stringify([issuer, oidcId])).slice(0, 24);
