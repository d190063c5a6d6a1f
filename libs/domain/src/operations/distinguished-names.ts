/**
 * A distinguished name (X.500) as its relative names, root first, each with its attributes in order. Types and values are canonical, so equal names have
 * equal texts.
 */
type Name = readonly (readonly string[])[];

/** Maximum length of a distinguished name, in UTF-16 characters. */
export const LONGEST_NAME = 2_000;

/** Aliases of attribute types (RFC 4519, OpenSSL). */
const SAME_TYPES: Readonly<Record<string, string>> = {
  '2.5.4.3': 'cn',
  '2.5.4.6': 'c',
  '2.5.4.7': 'l',
  '2.5.4.8': 'st',
  '2.5.4.10': 'o',
  '2.5.4.11': 'ou',
  '0.9.2342.19200300.100.1.25': 'dc',
  '0.9.2342.19200300.100.1.1': 'uid',
  '1.2.840.113549.1.9.1': 'emailaddress',
  commonname: 'cn',
  countryname: 'c',
  domaincomponent: 'dc',
  e: 'emailaddress',
  email: 'emailaddress',
  localityname: 'l',
  organizationname: 'o',
  organizationalunitname: 'ou',
  s: 'st',
  stateorprovincename: 'st',
  userid: 'uid',
};

const TYPE = '(?:OID\\.)?(?:[A-Za-z][A-Za-z0-9-]*|\\d+(?:\\.\\d+)+)';
const ATTRIBUTE = new RegExp(`^\\s*(${TYPE})\\s*=(.*)$`, 's');
const SLASH_ATTRIBUTE = new RegExp(`/(?=${TYPE}=)`);
const ESCAPED = /\\(?:([0-9A-Fa-f]{2}(?:\\[0-9A-Fa-f]{2})*)|(.))/gs;

/** Splits at separators that are not escaped by a backslash. */
const split = (text: string, separator: string): readonly string[] => {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1)
    if (text[at] === '\\') at += 1;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  return [...parts, text.slice(start)];
};

const isPlain = (value: string): boolean =>
  !/(^|[^\\])(\\\\)*"/.test(value) && !value.trimStart().startsWith('#') && !/(^|[^\\])(\\\\)*\\$/.test(value);

/** Removes the escapes of RFC 2253. @throws URIError if escaped bytes are not UTF-8 */
const unescaped = (value: string): string =>
  value.replace(ESCAPED, (_all, bytes: string | undefined, char: string) =>
    bytes === undefined ? char : decodeURIComponent(`%${bytes.replaceAll('\\', '%')}`),
  );

/** Ignores letter case (ASCII) and repeated blanks, as OpenSSL and RFC 5280 7.1 do. */
const canonical = (type: string, value: string): string => {
  const plainType = type.toLowerCase().replace(/^oid\./, '');
  const plainValue = value
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return `${SAME_TYPES[plainType] ?? plainType}=${plainValue}`;
};

/** @param escaped whether values are escaped as in RFC 2253. @returns `undefined` for an invalid attribute or an empty value */
const attribute = (text: string, escaped: boolean): string | undefined => {
  const [, type, value] = ATTRIBUTE.exec(text) ?? [];
  if (type === undefined || value === undefined || value.trim() === '' || (escaped && !isPlain(value))) return undefined;
  return canonical(type, escaped ? unescaped(value) : value);
};

const known = (name: readonly (readonly (string | undefined)[])[]): Name | undefined =>
  name.length > 0 && name.every((attributes) => attributes.every((one) => one !== undefined)) ? (name as Name) : undefined;

const relative = (text: string): readonly (string | undefined)[] => split(text, '+').map((one) => attribute(one, true));

/** Parses `/C=UK/O=eScience/CN=host`. Values may contain slashes, unless a type and `=` follow. */
const ofSlashes = (text: string): Name | undefined => {
  const [before, ...attributes] = text.split(SLASH_ATTRIBUTE);
  return before === '' ? known(attributes.map((one) => [attribute(one, false)])) : undefined;
};

/** Parses `CN=host,O=eScience,C=UK`, which begins with the most specific part. */
const ofCommas = (text: string): Name | undefined => known(split(text, ',').map(relative).toReversed());

const textOf = (name: Name | undefined): string | undefined => name && JSON.stringify(name.map((attributes) => [...attributes].sort()));

const read = (parse: () => Name | undefined): string | undefined => {
  try {
    return textOf(parse());
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};

/**
 * Canonical text of a distinguished name written by a person: in the form of RFC 2253, or with slashes as in OpenSSL and grid middleware. Equal names have
 * equal texts. `undefined` for an invalid name, and for a name with commas that begins with the country, because its order is reversed.
 */
export const canonicalName = (given: string): string | undefined => {
  const text = given.trim();
  if (text.length > LONGEST_NAME || /[\0\n\r]/.test(text)) return undefined;
  if (text.startsWith('/')) return read(() => ofSlashes(text));
  return read(() => {
    const name = ofCommas(text);
    return name && name.length > 1 && name.at(-1)?.some((one) => one.startsWith('c=')) ? undefined : name;
  });
};

/** Canonical text of a certificate subject as Node formats it: one line for each relative name, root first, values escaped as in RFC 2253. */
export const canonicalSubject = (subject: string): string | undefined => read(() => known(subject.split('\n').map(relative)));

/** Formats a certificate subject in OpenSSL's slash form for display. Slashes in values are not escaped. */
export const slashForm = (subject: string): string => `/${subject.split('\n').join('/')}`;
