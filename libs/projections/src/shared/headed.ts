import type { DocumentCodec } from './projection.js';

/**
 * A document whose text in an answer is long or costly to make: `body` is stored in the very form it has in an answer, and `head` holds the few
 * members that queries sort, filter and group by, so that nobody searches or parses the body.
 */
export type Headed<Head, Body> = Readonly<{ head: Head; body: Body }>;

/** The head as one line of JSON, then the body as `encode` writes it. `decode`: its inverse; default for bodies that are JSON. */
export const headedCodec = (encode: (body: unknown) => string, decode: (text: string) => unknown = JSON.parse): DocumentCodec => ({
  encode: (document) => {
    const { head, body } = document as Headed<unknown, unknown>;
    return `${JSON.stringify(head)}\n${encode(body)}`;
  },
  decode: (text) => {
    const end = text.indexOf('\n');
    return { head: JSON.parse(text.slice(0, end)), body: decode(text.slice(end + 1)) } satisfies Headed<unknown, unknown>;
  },
});

/** JSON text escapes line ends, so the first one ends the head. */
const LINE_END = 10;

/** The body of a stored document as it stands in an answer. Shares the memory of `stored`. */
export const bodyOf = (stored: Buffer): Buffer => stored.subarray(stored.indexOf(LINE_END) + 1);

/** The head of a stored document. */
export const headOf = <Head>(stored: Buffer): Head => JSON.parse(stored.toString('utf8', 0, stored.indexOf(LINE_END))) as Head;
