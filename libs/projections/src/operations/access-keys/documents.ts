import type { KeyIssued } from '#domain/operations/access-keys.js';
import { collection } from '#projections/shared/collection.js';
import { firstPart, inMember } from '#projections/shared/partitions.js';

/** Name of the read model. */
export const ACCESS_KEYS = 'ops.keys';

/** A key in force. `issuedAt`: UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type AccessKeyDocument = KeyIssued & Readonly<{ issuedAt: string }>;

const marks = { keyHash: 'hash' } as const;

/** By id. */
export const keys = collection<AccessKeyDocument>('keys', { owner: firstPart('key'), marks });
/** By the hash of the key. */
export const keysByHash = collection<AccessKeyDocument>('by-hash', { owner: inMember('key', 'keyId'), marks });
