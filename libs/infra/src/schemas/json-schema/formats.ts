import { fullFormats } from 'ajv-formats/dist/formats.js';
import { PatternInvalid, parsePattern } from '#infra/schemas/patterns/pattern-syntax.js';

/** Longer texts satisfy no format: some regular expressions of formats need stack for every character. */
const LONGEST = 65_536;

/** Formats that are taken from `ajv-formats` unchanged. */
const SHARED = [
  'date',
  'time',
  'date-time',
  'hostname',
  'email',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
] as const;

type FormatTest = (text: string) => boolean;

const shared = (name: (typeof SHARED)[number]): FormatTest => {
  const format = fullFormats[name];
  const validate: unknown = typeof format === 'object' && 'validate' in format ? format.validate : format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  if (typeof validate === 'function') return (text) => validate(text) === true;
  throw new Error(`format ${name} is not one for texts`);
};

/** An IRI as a URI: other characters are percent-encoded. */
const asUri = (iri: string): string => iri.replace(/\P{ASCII}+/gu, (characters) => encodeURIComponent(characters.toWellFormed()));

/** Replaces non-ASCII letters, which count as letters. */
const asAscii = (text: string): string => text.replace(/\P{ASCII}/gu, 'x');

const isPattern: FormatTest = (text) => {
  try {
    parsePattern(text);
    return true;
  } catch (error) {
    if (error instanceof PatternInvalid) return false;
    throw error;
  }
};

const [uri, uriReference, email] = [shared('uri'), shared('uri-reference'), shared('email')];

const FORMATS: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ...SHARED.map((name) => [name, shared(name)] as const),
  ['idn-email', (text) => email(asAscii(text))],
  ['iri', (text) => uri(asUri(text))],
  ['iri-reference', (text) => uriReference(asUri(text))],
  ['uuid', (text) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text)],
  ['regex', isPattern],
]);

/** The test of an enforced format (messaging contract 5.1); `undefined` for any other. */
export const formatTest = (name: string): FormatTest | undefined => {
  const test = FORMATS.get(name);
  return test && ((text) => text.length <= LONGEST && test(text));
};
