import { randomBytes } from 'node:crypto';

/** A key nobody can guess: 32 random bytes as 64 lower-case hex characters. */
export const newKey = (): string => randomBytes(32).toString('hex');
