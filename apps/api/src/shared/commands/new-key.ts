import { randomBytes } from 'node:crypto';

/** An unguessable key: 32 random bytes as 64 lower-case hex characters. */
export const newKey = (): string => randomBytes(32).toString('hex');
