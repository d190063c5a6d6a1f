/** Streams of keys are cut when a key is destroyed; only what tells of that stays. */
export const isKeyStream = (stream: string): boolean => stream.startsWith('keys.');
