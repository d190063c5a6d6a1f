import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { Budget, stepsFor } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { compileSchema, requireAcceptable } from '#infra/edges/schemas/validation/message-schemas.js';
import { forAny } from '#test/support/for-any.js';
import { jsonSchema, jsonValue } from '#test/support/messaging/json-schemas.js';
import { runs } from '#test/support/test-runs.js';

/** Texts that only a defect or a library would produce. */
const LEAK = /undefined|\[object [A-Z]|Cannot read|is not a function|is not iterable|NaN|Maximum call stack|node_modules/;

const compiled = (document: JsonObject): ReturnType<typeof compileSchema> | undefined => {
  try {
    return compileSchema({ type: 'json', document });
  } catch (error) {
    if (!(error instanceof SchemaInvalid)) throw error;
    expect(error.message).not.toMatch(LEAK);
    return undefined;
  }
};

/** Violations of a value; `undefined` if the schema does not compile. */
const told = (document: JsonObject, value: Json): readonly string[] | undefined => {
  const bytes = Buffer.from(JSON.stringify(value));
  const fault = compiled(document)?.faultIn(bytes, new Budget(stepsFor(bytes.length)));
  if (fault?.kind === 'violations') return fault.violations;
  return fault === undefined ? compiled(document) && [] : [fault.kind];
};

const refersToItself = (document: JsonObject): boolean => JSON.stringify(document).includes('"$ref":');

const RUNS = runs(400);

describe('any schema', () => {
  it('compiles or is refused with a text of its own, and judges any value', () =>
    forAny(RUNS, jsonSchema, jsonValue, (document, value) => {
      const texts = told(document, value) ?? [];
      for (const text of texts) expect(text).not.toMatch(LEAK);
      expect(texts.length).toBeLessThanOrEqual(1_000);
      if (compiled(document)?.refusal === undefined) return;
      expect(() => requireAcceptable({ type: 'json', document })).toThrow(SchemaInvalid);
    }));

  it('tells what it finds inside of others as it tells it alone', () =>
    forAny(
      RUNS,
      jsonSchema.filter((document) => !refersToItself(document)),
      jsonValue,
      (schema, value) => {
        const alone = told(schema, value);
        fc.pre(alone !== undefined && !('$schema' in schema));
        const isValid = alone.length === 0;
        const following = (text: string) => (isValid ? [] : [`(root): ${text}`, ...alone]);
        expect(told({ allOf: [schema] }, value)).toEqual(isValid ? [] : [...alone, '(root): Must validate all the schemas (allOf)']);
        expect(told({ anyOf: [schema, schema] }, value)).toEqual(following('Must validate at least one schema (anyOf)'));
        expect(told({ oneOf: [schema] }, value)).toEqual(following('Must validate one and only one schema (oneOf)'));
        expect(told({ if: {}, then: schema }, value)).toEqual(following('Must validate "then" as "if" was valid'));
        expect(told({ not: schema }, value)).toEqual(isValid ? ['(root): Must not validate the schema (not)'] : []);
        expect(told({ definitions: { s: schema }, $ref: '#/definitions/s' }, value)).toEqual(alone);
      },
    ));
});
