import { LRUCache } from 'lru-cache';
import type { SchemaContent } from '#domain/messaging/resource-commands.js';
import { type AvroSchema, compileAvroSchema, DatumInvalid } from './avro-datum.js';
import { type Budget, TooMuchWork } from './budget.js';
import { SchemaInvalid } from './errors.js';
import { compileJsonSchema, type JsonSchema } from './json-schema.js';
import { JsonSyntaxError, type JsonValue, parseJson } from './json-text.js';

/** Why a message is refused (messaging contract 5.3, 5.4). */
export type MessageFault =
  | Readonly<{ kind: 'not-json' | 'not-avro'; detail: string }>
  /** At least one. */
  | Readonly<{ kind: 'violations'; violations: readonly string[] }>;

/** Judges the bytes of a message: nothing when they are in order. */
export type MessageSchema = (message: Buffer, budget: Budget) => MessageFault | undefined;

const TOO_MUCH_WORK = 'Checking it against the schema takes too many steps';

/** Whether a message has made the checks themselves give up: too much work, or more levels than the stack has room for. */
const isExhaustion = (error: unknown): boolean => error instanceof TooMuchWork || error instanceof RangeError;

const judgeJson = (schema: JsonSchema, message: Buffer, budget: Budget): MessageFault | undefined => {
  let value: JsonValue;
  try {
    value = parseJson(message.toString('utf8'));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: 'not-json', detail: error.message };
    throw error;
  }
  try {
    const violations = schema(value, budget);
    return violations.length > 0 ? { kind: 'violations', violations } : undefined;
  } catch (error) {
    if (isExhaustion(error)) return { kind: 'violations', violations: [`(root): ${TOO_MUCH_WORK}`] };
    throw error;
  }
};

const judgeAvro = (schema: AvroSchema, message: Buffer, budget: Budget): MessageFault | undefined => {
  try {
    schema(message, budget);
    return undefined;
  } catch (error) {
    if (error instanceof DatumInvalid) return { kind: 'not-avro', detail: error.message };
    if (isExhaustion(error)) return { kind: 'not-avro', detail: TOO_MUCH_WORK };
    throw error;
  }
};

/** @throws SchemaInvalid */
export const compileSchema = ({ type, document }: SchemaContent): MessageSchema => {
  try {
    if (type === 'json') {
      const schema = compileJsonSchema(document);
      return (message, budget) => judgeJson(schema, message, budget);
    }
    const schema = compileAvroSchema(document);
    return (message, budget) => judgeAvro(schema, message, budget);
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaInvalid('schema nests too deeply');
    throw error;
  }
};

/** Compiled schemas by the text they are stored as, at most as many as come from 8 MiB of texts. */
export class MessageSchemas {
  private readonly compiled = new LRUCache<string, MessageSchema>({
    maxSize: 8 * 1024 * 1024,
    sizeCalculation: (_schema, key) => key.length,
  });

  /** `contentOf` reads the text, which it has not met before. @throws SchemaInvalid it does not compile */
  get(text: string, contentOf: (text: string) => SchemaContent): MessageSchema {
    const known = this.compiled.get(text);
    if (known) return known;
    const schema = compileSchema(contentOf(text));
    this.compiled.set(text, schema);
    return schema;
  }
}
