import { compareNumbers, type ExactNumber, exactOf, isMultiple, LargeDecimal } from '#domain/shared/json/exact-number.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import type { JsonValue } from '#infra/edges/schemas/json/json-text.js';
import { canonicalText, jsonValueOf, typeOf } from '#infra/edges/schemas/json/json-value.js';
import { compilePattern, type Pattern } from '#infra/edges/schemas/patterns/pattern.js';
import type { StateBuilder } from '#infra/edges/schemas/patterns/pattern-program.js';
import { PatternInvalid } from '#infra/edges/schemas/patterns/pattern-syntax.js';
import { formatCost, formatTest } from './formats.js';
import type { Keywords, SchemaCheck, TypeCheck } from './schema-node.js';
import { enumerated, shortened, type Violations } from './violations.js';

/** `builder`: builds all patterns of the document. @throws SchemaInvalid */
export const patternOf = (source: string, builder: StateBuilder): Pattern => {
  try {
    return compilePattern(source, builder);
  } catch (error) {
    if (error instanceof PatternInvalid)
      throw new SchemaInvalid(`pattern must be a valid regex, given: ${shortened(source)}: ${error.message}`);
    throw error;
  }
};

const PRIMITIVES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string'];

/** `undefined` if every type is allowed, as by an empty list. */
export const typeCheck = (keywords: Keywords): TypeCheck | undefined => {
  const types = [keywords('type') ?? []].flat().map(String);
  if (types.length === 0) return undefined;
  for (const type of types) {
    if (PRIMITIVES.includes(type)) continue;
    throw new SchemaInvalid(
      `has a primitive type that is NOT VALID -- given: /${shortened(type)}/ Expected valid values are:[${PRIMITIVES.join(' ')}]`,
    );
  }
  const allowed = new Set(types);
  const expected = types.length > 1 ? `[${types.join(',')}]` : types.join(''); // at most seven types
  return (value, path, found) => {
    const type = typeOf(value);
    if (allowed.has(type) || (type === 'integer' && allowed.has('number'))) return true;
    found.report(path, `Invalid type. Expected: ${expected}, given: ${type}`);
    return false;
  };
};

/** A check of numbers only. */
const ofNumbers =
  (holds: (value: ExactNumber) => boolean, description: string): SchemaCheck =>
  (value, path, found) => {
    if (typeof value !== 'number' && !(value instanceof LargeDecimal)) return;
    if (value instanceof LargeDecimal) found.budget.spend(value.digits.length);
    if (!holds(value)) found.report(path, description);
  };

const boundary = (keywords: Keywords, name: string): ExactNumber | undefined => {
  const value = keywords(name);
  return typeof value === 'number' ? exactOf(value) : undefined;
};

/** Inclusive and exclusive bound; in draft 04 `true` makes the inclusive one exclusive. */
const bounds = (keywords: Keywords, inclusive: string, exclusive: string) => {
  const bound = boundary(keywords, inclusive);
  const isExclusive = keywords(exclusive) === true;
  if (isExclusive && bound === undefined) throw new SchemaInvalid(`${exclusive} cannot be used without ${inclusive}`);
  return isExclusive ? { inclusive: undefined, exclusive: bound } : { inclusive: bound, exclusive: boundary(keywords, exclusive) };
};

export const numberChecks = (keywords: Keywords): readonly SchemaCheck[] => {
  const checks: SchemaCheck[] = [];
  const add = (bound: ExactNumber | undefined, holds: (value: ExactNumber, bound: ExactNumber) => boolean, text: string): void => {
    if (bound !== undefined) checks.push(ofNumbers((value) => holds(value, bound), `${text} ${bound}`));
  };
  add(boundary(keywords, 'multipleOf'), isMultiple, 'Must be a multiple of');
  const most = bounds(keywords, 'maximum', 'exclusiveMaximum');
  add(most.inclusive, (value, bound) => compareNumbers(value, bound) <= 0, 'Must be less than or equal to');
  add(most.exclusive, (value, bound) => compareNumbers(value, bound) < 0, 'Must be less than');
  const least = bounds(keywords, 'minimum', 'exclusiveMinimum');
  add(least.inclusive, (value, bound) => compareNumbers(value, bound) >= 0, 'Must be greater than or equal to');
  add(least.exclusive, (value, bound) => compareNumbers(value, bound) > 0, 'Must be greater than');
  return checks;
};

/** Length in code points. */
const lengthOf = (text: string): number => {
  let length = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) length--;
  return length;
};

/** A value that is not a text violates every enforced format. */
const formatChecks = (format: string): readonly SchemaCheck[] => {
  const test = formatTest(format);
  if (!test) return [];
  const cost = formatCost(format);
  const check: SchemaCheck = (value, path, found) => {
    if (typeof value === 'string') found.budget.spend(value.length * cost);
    if (typeof value !== 'string' || !test(value)) found.report(path, `Does not match format '${format}'`);
  };
  return [check];
};

export const textChecks = (keywords: Keywords, patterns: StateBuilder): readonly SchemaCheck[] => {
  const checks: SchemaCheck[] = [];
  const add = (holds: (text: string, found: Violations) => boolean, description: string): void => {
    checks.push((value, path, found) => {
      if (typeof value !== 'string') return;
      found.budget.spend(value.length);
      if (!holds(value, found)) found.report(path, description);
    });
  };
  const [least, most, pattern, format] = ['minLength', 'maxLength', 'pattern', 'format'].map(keywords);
  if (typeof least === 'number') add((text) => lengthOf(text) >= least, `String length must be greater than or equal to ${least}`);
  if (typeof most === 'number') add((text) => lengthOf(text) <= most, `String length must be less than or equal to ${most}`);
  if (typeof pattern === 'string') {
    const finds = patternOf(pattern, patterns);
    add((text, { budget }) => finds(text, budget), `Does not match pattern '${shortened(pattern)}'`);
  }
  return typeof format === 'string' ? [...checks, ...formatChecks(format)] : checks;
};

/** Text for comparison; its length is charged to the budget. */
export const comparable = (value: JsonValue, { budget }: Violations): string => {
  const text = canonicalText(value);
  budget.spend(text.length);
  return text;
};

/** Checks `const` and `enum`; an empty `enum` allows every value. */
export const equalityChecks = (keywords: Keywords): readonly SchemaCheck[] => {
  const checks: SchemaCheck[] = [];
  const constant = keywords('const');
  if (constant !== undefined) {
    const text = canonicalText(jsonValueOf(constant));
    const shown = shortened(text);
    checks.push((value, path, found) => {
      if (comparable(value, found) !== text) found.report(path, (place) => `${place} does not match: ${shown}`);
    });
  }
  const listed = keywords('enum');
  if (Array.isArray(listed) && listed.length > 0) {
    const texts = listed.map((json) => canonicalText(jsonValueOf(json)));
    const allowed = new Set(texts);
    const shown = enumerated(texts);
    checks.push((value, path, found) => {
      if (!allowed.has(comparable(value, found))) {
        found.report(path, (place) => `${place} must be one of the following: ${shown}`);
      }
    });
  }
  return checks;
};
