import { hash } from 'node:crypto';

/**
 * SHA-256 of a key or token, in hex: what is stored and looked up in its place. Not for passwords that people choose:
 * it is fast, and only long random credentials withstand guessing.
 */
export const hashCredential = (secret: string): string => hash('sha256', secret, 'hex');
