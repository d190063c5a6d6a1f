import { isUtf8 } from 'node:buffer';

/** A request target without its query. */
export const pathOf = (url: string): string => {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
};

const UNCLEAN = /\/\/|\/\.{1,2}(?:\/|$)/;

/**
 * The clean form of a path with double slashes or dot segments; `undefined` for a clean path. Services that redirect do so to it. It ends
 * in a slash only if the path does.
 */
export const cleanedPath = (path: string): string | undefined => {
  if (!UNCLEAN.test(path)) return undefined;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    // Browsers read a backslash as a slash: two at the start of a `Location` would name a host.
    else if (segment !== '' && segment !== '.') segments.push(segment.replaceAll('\\', '%5C'));
  }
  const cleaned = `/${segments.join('/')}`;
  return path.endsWith('/') && segments.length > 0 ? `${cleaned}/` : cleaned;
};

/** Scheme and authority of a request target in absolute form, which every server must accept (RFC 9112 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** A letter, a digit, `-`, `_`, `~` or `:` in encoded form. Excludes the dot, which could form dot segments. */
const ENCODED_PLAIN = /%(?:2d|3[\da]|[46][1-9a-f]|5[\daf]|7[\dae])/gi;
/** Bytes beyond ASCII in encoded form. */
const ENCODED_BYTES = /(?:%[89a-f][\da-f])+/gi;
const SLASH_ALLOWED = /^\/accounting-system\/.*[^/]\/$/;

const decoded = (encoded: string): string => String.fromCharCode(Number.parseInt(encoded.slice(1), 16));

/** A well-formed encoding that is not UTF-8 is read as U+FFFD, as in a body: the router would refuse it before any key is checked. */
const readable = (encoded: string): string => {
  const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex');
  return isUtf8(bytes) ? encoded : encodeURIComponent(bytes.toString('utf8'));
};

/**
 * The URL for routing: its path and query, with unnecessary encodings in the path decoded, as in `users%3AbyID`. So a path has the same
 * spelling for routers and edges. Paths of the accounting service may end in a slash.
 */
export const routedUrl = (url: string): string => {
  const target = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const path = pathOf(target);
  const plain = path.includes('%') ? path.replace(ENCODED_PLAIN, decoded).replace(ENCODED_BYTES, readable) : path;
  const routed = SLASH_ALLOWED.test(plain) ? plain.slice(0, -1) : plain || '/';
  return routed === path ? target : routed + target.slice(path.length);
};
