import { sha256 } from '#domain/shared/sha256.js';

/** The id of a client in this service: follows from who it is, so that whoever shows a token is found without a search. */
export const actorIdOf = (issuer: string, oidcId: string): string => sha256(JSON.stringify([issuer, oidcId])).slice(0, 24);
