import { fullFormats } from 'ajv-formats/dist/formats.js';
import { PatternInvalid, parsePattern } from '#infra/edges/schemas/patterns/pattern-syntax.js';
import { isAddress } from './addresses.js';
import { isUri, isUriReference, isUriTemplate } from './uris.js';

/** Longer texts satisfy no format, because some regular expressions of formats need stack for every character. */
const LONGEST = 65_536;

type FormatTest = (text: string) => boolean;

/** A format taken from `ajv-formats` unchanged. */
const shared = (name: 'date' | 'ipv4' | 'ipv6' | 'json-pointer' | 'relative-json-pointer'): FormatTest => {
  const format = fullFormats[name];
  const validate: unknown = typeof format === 'object' && 'validate' in format ? format.validate : format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  if (typeof validate === 'function') return (text) => validate(text) === true;
  throw new Error(`format ${name} is not one for texts`);
};

const isPattern: FormatTest = (text) => {
  try {
    parsePattern(text);
    return true;
  } catch (error) {
    if (error instanceof PatternInvalid) return false;
    throw error;
  }
};

const isDate = shared('date');

/** A time of day with one or two digits for the hour, without leap seconds. `zone`: pattern of what may follow. */
const timeTest = (zone: string): FormatTest => {
  const time = new RegExp(`^(?:[01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?${zone}$`);
  return (text) => time.test(text);
};

const OFFSET = '[+-](?:[01]\\d|2[0-3]):[0-5]\\d';
const isTime = timeTest(`(?:Z|Z?${OFFSET})?`);
/** The time of RFC 3339, which has a zone. */
const isFullTime = timeTest(`(?:Z|${OFFSET})`);

/** A time, a date, or both as in RFC 3339 with a capital `T`. */
const isDateTime: FormatTest = (text) =>
  isTime(text) || isDate(text) || (isDate(text.slice(0, 10)) && text.charAt(10) === 'T' && isFullTime(text.slice(11)));

/** Maximum characters of a host name. */
const LONGEST_HOSTNAME = 255;
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const HOSTNAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, 'i');

const FORMATS: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['hostname', (text) => text.length <= LONGEST_HOSTNAME && HOSTNAME.test(text)],
  ['email', isAddress],
  ['idn-email', isAddress],
  ['ipv4', shared('ipv4')],
  ['ipv6', shared('ipv6')],
  ['uri', isUri],
  ['iri', isUri],
  ['uri-reference', isUriReference],
  ['iri-reference', isUriReference],
  ['uri-template', isUriTemplate],
  ['uuid', (text) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(text)],
  ['regex', isPattern],
  ['json-pointer', shared('json-pointer')],
  ['relative-json-pointer', shared('relative-json-pointer')],
]);

/** Test of an enforced format (messaging contract 5.1); `undefined` for any other format. */
export const formatTest = (name: string): FormatTest | undefined => {
  const test = FORMATS.get(name);
  return test && ((text) => text.length <= LONGEST && test(text));
};

/** Budget steps per tested character: parsing a pattern builds more than it reads. */
export const formatCost = (name: string): number => (name === 'regex' ? 16 : 1);
