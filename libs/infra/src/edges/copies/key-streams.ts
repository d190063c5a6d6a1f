/** Streams of keys are truncated when a key is destroyed. Only the event of its destruction remains. */
export const isKeyStream = (stream: string): boolean => stream.startsWith('keys.');
