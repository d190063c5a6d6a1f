/** Characters that JSON escapes, and surrogates, of which JSON.stringify escapes those that stand alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes just these
const NOT_PLAIN = /[\u0000-\u001f"\\\ud800-\udfff]/;

const quoted = (text: string): string => (NOT_PLAIN.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * The canonical text of a JSON value: RFC 8785 (JSON Canonicalization Scheme). Members stand in the order of the UTF-16 units of their names, numbers
 * as ECMAScript writes them. Where that RFC has no answer it does as JSON.stringify: a lone surrogate is `\udxxx`, a number that is not finite
 * (only a damaged record has one) is null, a member without a value is left out. So an event in memory has the text that it has once it is stored.
 */
export const jcs = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jcs).join()}]`;
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${jcs(member)}`;
  }
  return `{${text}}`;
};
