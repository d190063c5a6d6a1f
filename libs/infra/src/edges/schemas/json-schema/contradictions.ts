import { canonicalText, jsonValueOf } from '#infra/edges/schemas/json/json-value.js';
import type { Keywords } from './schema-node.js';

const RANGES = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/** Returns why a schema may not be created although it can validate: its bounds exclude each other, or `enum` contains a value twice. */
export const contradictionIn = (keywords: Keywords): string | undefined => {
  for (const [least, most] of RANGES) {
    if (Number(keywords(least) ?? 0) > Number(keywords(most) ?? Number.POSITIVE_INFINITY)) return `${least} cannot be greater than ${most}`;
  }
  const listed = keywords('enum');
  if (!Array.isArray(listed)) return undefined;
  const texts = listed.map((json) => canonicalText(jsonValueOf(json)));
  return new Set(texts).size < texts.length ? 'enum items must be unique' : undefined;
};
