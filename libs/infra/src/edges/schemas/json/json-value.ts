import type { Json } from '#domain/shared/events.js';
import { exactOf, isInteger, LargeDecimal } from '#domain/shared/json/exact-number.js';
import type { JsonValue } from './json-text.js';

/** Types of JSON Schema. A number without a fraction is an integer, even `1.0`. */
type TypeName = 'array' | 'boolean' | 'integer' | 'number' | 'null' | 'object' | 'string';

export const typeOf = (value: JsonValue): TypeName => {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || value instanceof LargeDecimal) return isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : 'object';
};

/** Converts a value of a schema document for comparison with values of messages. */
export const jsonValueOf = (json: Json): JsonValue => {
  if (typeof json === 'number') return exactOf(json);
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(jsonValueOf);
  return new Map(Object.entries(json).map(([name, member]) => [name, jsonValueOf(member)]));
};

/** A text that is the same for equal values only: sorted keys, one form of each number. */
export const canonicalText = (value: JsonValue): string => {
  if (value instanceof LargeDecimal) return value.toString();
  if (value instanceof Map) {
    const members = [...value].map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`);
    return `{${members.sort().join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  return JSON.stringify(value);
};
