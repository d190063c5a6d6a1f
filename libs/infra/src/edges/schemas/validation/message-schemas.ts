import type { SchemaContent, SchemaType } from '#domain/messaging/resources/schemas.js';
import { type AvroSchema, compileAvroSchema, DatumInvalid } from '#infra/edges/schemas/avro/avro-datum.js';
import { type Budget, TooMuchWork } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { JsonSyntaxError, type JsonValue, parseJson } from '#infra/edges/schemas/json/json-text.js';
import { compileJsonSchema, type JsonSchema } from '#infra/edges/schemas/json-schema/json-schema.js';

/** Reason why a message is refused (messaging contract 5.3, 5.4). */
export type MessageFault =
  | Readonly<{ kind: 'not-json' | 'not-avro'; detail: string }>
  /** At least one. */
  | Readonly<{ kind: 'violations'; violations: readonly string[] }>
  /** Unknown: the checks gave up. `of`: the type of the schema. */
  | Readonly<{ kind: 'exhausted'; of: SchemaType }>;

/**
 * `faultIn` returns the fault of a message's bytes, `undefined` if they are valid. `states`: of its patterns, which take memory. `refusal`:
 * why the schema may not be created although it can validate.
 */
export type MessageSchema = Readonly<{
  faultIn(message: Buffer, budget: Budget): MessageFault | undefined;
  states: number;
  refusal?: string | undefined;
}>;

/** Returns whether a message made the checks themselves give up: too much work, or too many levels for the stack. */
const isExhaustion = (error: unknown): boolean => error instanceof TooMuchWork || error instanceof RangeError;

const faultInJson = (schema: JsonSchema, message: Buffer, budget: Budget): MessageFault | undefined => {
  let value: JsonValue;
  try {
    value = parseJson(message.toString('utf8'));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: 'not-json', detail: error.message };
    throw error;
  }
  try {
    const violations = schema.violations(value, budget);
    return violations.length > 0 ? { kind: 'violations', violations } : undefined;
  } catch (error) {
    if (isExhaustion(error)) return { kind: 'exhausted', of: 'json' };
    throw error;
  }
};

const faultInAvro = (schema: AvroSchema, message: Buffer, budget: Budget): MessageFault | undefined => {
  try {
    schema(message, budget);
    return undefined;
  } catch (error) {
    if (error instanceof DatumInvalid) return { kind: 'not-avro', detail: error.message };
    if (isExhaustion(error)) return { kind: 'exhausted', of: 'avro' };
    throw error;
  }
};

/** Compiles a schema that may already be stored. @throws SchemaInvalid it cannot be used for validation */
export const compileSchema = ({ type, document }: SchemaContent): MessageSchema => {
  try {
    if (type === 'json') {
      const schema = compileJsonSchema(document);
      const { states, refusal } = schema;
      return { faultIn: (message, budget) => faultInJson(schema, message, budget), states, refusal };
    }
    const schema = compileAvroSchema(document);
    return { faultIn: (message, budget) => faultInAvro(schema, message, budget), states: 0 };
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaInvalid('schema nests too deeply');
    throw error;
  }
};

/** Requires that a schema may be created. @throws SchemaInvalid */
export const requireAcceptable = (content: SchemaContent): void => {
  const { refusal } = compileSchema(content);
  if (refusal !== undefined) throw new SchemaInvalid(refusal);
};
