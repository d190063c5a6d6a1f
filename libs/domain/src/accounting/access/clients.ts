import { sha256 } from '#domain/shared/sha256.js';

/** Id of a client in this service. It follows from the claims, so that the holder of a token is found without a search. */
export const actorIdOf = (issuer: string, oidcId: string): string => sha256(JSON.stringify([issuer, oidcId])).slice(0, 24);
