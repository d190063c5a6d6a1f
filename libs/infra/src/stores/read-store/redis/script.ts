import { createHash } from 'node:crypto';

/** An argument of a Redis command: text is sent as UTF-8, bytes unchanged. */
export type Argument = string | Buffer;

/** A Lua script, which Redis runs atomically. */
export type Script = Readonly<{ text: string; sha: string }>;

export const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** Lua passes arguments on its stack, which holds about 8,000. A chunk uses two per document. */
export const CHUNK = 1_000;

/** Marks fields of pieces, in Lua. Keys are UTF-8, which never contains this byte. */
export const PIECES = '\\255';

/** Field of the hash of a collection whose keys may be without a field, in Lua. */
export const LISTED = '\\255\\254';
