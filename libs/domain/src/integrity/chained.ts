/**
 * Streams that are not part of the chain: the store's own, keys (destroying one must break nothing), the chain's own, and the parts of large payloads
 * (the event they belong to is chained with its whole data).
 */
const UNCHAINED = /^(?:\$|keys\.|integrity\.|payload-)/;

/** Whether the events of a stream are leaves of the chain. What is not chained is a system stream: no audit list shows it. */
export const isChained = (stream: string): boolean => !UNCHAINED.test(stream);
