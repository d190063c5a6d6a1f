import type { Json, JsonObject } from './events.js';
import { jcs } from './json/jcs.js';
import { sha256 } from './sha256.js';

/**
 * How an auditor is shown a value (operations contract 4). `secret`: nobody reads it. `hash`: nor that of a
 * credential; older events, whose hashes are not keyed, get keyed ones when they are read. `personal`: only auditors who ask for it. `digest`: its hash and
 * length. `url`: a URL, of which the user info is secret. A function returns a value of which only parts are secret, without these parts.
 */
export type Mark = 'secret' | 'hash' | 'personal' | 'digest' | 'url' | ((value: Json) => Json);

/** Marks by path, written as in `sensitive` of an event: `email`, `users[].email`. */
export type Marks = Readonly<Record<string, Mark>>;

/** Stand in place of marked values. */
export const SECRET = '[secret]';
const PERSONAL = '[personal]';
/** In place of either once the key of the subject is destroyed. */
export const ERASED = '[erased]';

export type MarkVisibility = Readonly<{ personal: boolean }>;

/** A mark says that there was something: empty values are shown as they are. */
export const isEmpty = (value: Json): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** The value as it is shown. What is erased already stays so. */
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

/** A URL with a mark in place of its user info. As parsers of URLs read it, a backslash ends the host as well. */
export const withoutUserInfo = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:[\\/]{2})?([^\\/?#]*)@/i, (_, scheme = '', user) => `${scheme}${user && `${SECRET}@`}`);

/** A text, or `[secret]` if there is one. For marks that are functions. */
export const secretText = (value: Json | undefined): Json =>
  value === undefined || isEmpty(value) || value === ERASED ? (value ?? '') : SECRET;

/** Stands for what auditors need not read: the hash, and the length in bytes, of the UTF-8 of a text or of the canonical text of a value. */
export const digestOf = (value: Json): JsonObject => {
  const text = typeof value === 'string' ? value : jcs(value);
  return { $sha256: sha256(text), $bytes: Buffer.byteLength(text) };
};
