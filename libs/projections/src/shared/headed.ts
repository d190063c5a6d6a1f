import type { DocumentCodec } from './projection.js';

/**
 * A document whose text in an answer is long or costly to generate. `body`: stored in the format of answers. `head`: the members by which queries
 * sort, filter and group, so that the body is never parsed.
 */
export type HeadAndBody<Head, Body> = Readonly<{ head: Head; body: Body }>;

/** Stores the head as one line of JSON, followed by the encoded body. `decode`: inverse of `encode`; default for JSON bodies. */
export const headedCodec = (encode: DocumentCodec['encode'], decode: (text: string) => unknown = JSON.parse): DocumentCodec => ({
  encode: (document) => {
    const { head, body } = document as HeadAndBody<unknown, unknown>;
    return `${JSON.stringify(head)}\n${encode(body)}`;
  },
  decode: (text) => {
    const end = text.indexOf('\n');
    return { head: JSON.parse(text.slice(0, end)), body: decode(text.slice(end + 1)) } satisfies HeadAndBody<unknown, unknown>;
  },
});

/** JSON text escapes line breaks, so the first one ends the head. */
const LINE_END = 10;

/** The body of a stored document in the format of answers. Shares the memory of `stored`. */
export const bodyOf = (stored: Buffer): Buffer => stored.subarray(stored.indexOf(LINE_END) + 1);

export const headOf = <Head>(stored: Buffer): Head => JSON.parse(stored.toString('utf8', 0, stored.indexOf(LINE_END))) as Head;
