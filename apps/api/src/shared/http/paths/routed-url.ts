import { isUtf8 } from 'node:buffer';
import { pathOf } from '#api/shared/http/service-http-policy.js';

/** Scheme and authority of a request target in absolute form, which every server must take (RFC 9112 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/** A letter, a digit, `-`, `_`, `~` or `:` in encoded form. Not the dot: it could make dot segments. */
const ENCODED_PLAIN = /%(?:2d|3[\da]|[46][1-9a-f]|5[\daf]|7[\dae])/gi;
/** Bytes beyond ASCII in encoded form. */
const ENCODED_BYTES = /(?:%[89a-f][\da-f])+/gi;
const SLASH_ALLOWED = /^\/accounting-system\/.*[^/]\/$/;

const decoded = (encoded: string): string => String.fromCharCode(Number.parseInt(encoded.slice(1), 16));

/** Well-formed, but no UTF-8: reads as U+FFFD, like a body; the router would refuse it before any key is looked at. */
const readable = (encoded: string): string => {
  const bytes = Buffer.from(encoded.replaceAll('%', ''), 'hex');
  return isUtf8(bytes) ? encoded : encodeURIComponent(bytes.toString('utf8'));
};

/**
 * The URL as it is routed: its path and query, in which what need not be encoded in the path is plain, as in `users%3AbyID`, so that one path
 * has one spelling for routers and edges alike. Paths of the accounting service may end in a slash.
 */
export const routedUrl = (url: string): string => {
  const target = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const path = pathOf(target);
  const plain = path.includes('%') ? path.replace(ENCODED_PLAIN, decoded).replace(ENCODED_BYTES, readable) : path;
  const routed = SLASH_ALLOWED.test(plain) ? plain.slice(0, -1) : plain || '/';
  return routed === path ? target : routed + target.slice(path.length);
};
