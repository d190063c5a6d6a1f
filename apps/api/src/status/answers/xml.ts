const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

/** A text as content of an element or value of an attribute. Characters that XML 1.0 cannot hold become U+FFFD. */
const xmlText = (value: string): string =>
  value
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"'\t\n\r]/g, (character) => ESCAPES[character] ?? character);

/** An element: its name, its attributes (those without a value are omitted), and its text or its children. */
export type XmlElement = Readonly<{
  name: string;
  attributes?: Readonly<Record<string, string | undefined>>;
  content?: string | readonly XmlElement[];
}>;

/** Indentation of lines: each by `prefix`, and by `step` for every level. */
export type XmlLayout = Readonly<{ prefix: string; step: string }>;

/** The start tag of an element. */
export const openTag = (name: string, attributes: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${xmlText(value)}"`]));
  return `<${name}${given.join('')}>`;
};

const linesOf = ({ name, attributes = {}, content = '' }: XmlElement, { prefix, step }: XmlLayout): string[] => {
  const open = `${prefix}${openTag(name, attributes)}`;
  if (typeof content === 'string') return [`${open}${xmlText(content)}</${name}>`];
  if (content.length === 0) return [`${open}</${name}>`];
  return [open, ...content.flatMap((child) => linesOf(child, { prefix: prefix + step, step })), `${prefix}</${name}>`];
};

/** The element as text: no declaration, empty elements with both tags (status contract 15). */
export const xmlOf = (root: XmlElement, layout: XmlLayout): string => linesOf(root, layout).join('\n');

export const XML_TYPE = 'application/xml; charset=utf-8';

/** For most bodies: one space per level. */
export const NARROW: XmlLayout = { prefix: '', step: ' ' };
/** For metric results and their errors: two spaces per level, and one more before every line. */
export const WIDE: XmlLayout = { prefix: ' ', step: '  ' };
