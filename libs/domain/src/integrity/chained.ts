/**
 * Streams outside the chain: the store's own, keys (destroying one must not break the chain), the chain's own, and the parts of large payloads
 * (the leaf of their event covers its whole data).
 */
const UNCHAINED = /^(?:\$|keys\.|integrity\.|payload-)/;

/** Whether the events of a stream are leaves of the chain. Streams outside the chain are system streams and appear in no audit list. */
export const isChained = (stream: string): boolean => !UNCHAINED.test(stream);
