import { sha256 } from './bytes/sha256.js';
import type { Json, JsonObject } from './events.js';
import { jcs } from './json/jcs.js';

/**
 * Presentation of a value to auditors (operations contract 4). `secret`: never shown. `hash`: never shown, as the hash of a credential; unkeyed hashes of
 * older events are replaced by keyed ones when read. `personal`: shown only on request. `digest`: shown as hash and length. `url`: a URL whose user info
 * is secret. A function returns the value without its secret parts.
 */
export type Mark = 'secret' | 'hash' | 'personal' | 'digest' | 'url' | ((value: Json) => Json);

/** Marks by path, written as in `sensitive` of an event: `email`, `users[].email`. */
export type Marks = Readonly<Record<string, Mark>>;

/** Replaces a secret value. */
export const SECRET = '[secret]';
const PERSONAL = '[personal]';
/** Replaces either once the key of the subject is destroyed. */
export const ERASED = '[erased]';

export type MarkVisibility = Readonly<{ personal: boolean }>;

/** Empty values are shown unchanged, because a mark implies a value. */
export const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** The value as shown to auditors. Erased values stay `[erased]`. */
export const shownAs = (mark: Mark, value: Json, { personal }: MarkVisibility): Json => {
  if (isEmpty(value) || value === ERASED) return value;
  if (typeof mark === 'function') return mark(value);
  if (mark === 'digest') return digestOf(value);
  if (mark === 'url') return typeof value === 'string' ? withoutUserInfo(value) : value;
  if (mark === 'secret' || mark === 'hash') return SECRET;
  return personal ? value : PERSONAL;
};

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces the user info of a URL with a mark. As in URL parsers, a backslash also ends the host. */
export const withoutUserInfo = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:[\\/]{2})?([^\\/?#]*)@/i, (_, scheme = '', user) => `${scheme}${user && `${SECRET}@`}`);

/** An empty text unchanged, otherwise `[secret]`. For marks that are functions. */
export const secretText = (value: Json | undefined): Json =>
  value === undefined || isEmpty(value) || value === ERASED ? (value ?? '') : SECRET;

/** Digest of a value: hash and length in bytes of the UTF-8 of a text, or of the canonical text of any other value. */
export const digestOf = (value: Json): JsonObject => {
  const text = typeof value === 'string' ? value : jcs(value);
  return { $sha256: sha256(text), $bytes: Buffer.byteLength(text) };
};
