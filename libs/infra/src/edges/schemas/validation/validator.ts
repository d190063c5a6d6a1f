import { LRUCache } from 'lru-cache';
import { base64Fault } from '#domain/messaging/messages/base64.js';
import type { SchemaContent } from '#domain/messaging/resources/schemas.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { Budget } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { compileSchema, type MessageFault, type MessageSchema } from './message-schemas.js';

/** Reason why a message is refused. `place`: index of the first character that is not base64, as `base64Fault` counts. */
export type Fault = MessageFault | Readonly<{ kind: 'not-base64'; place: number }>;

/** Result for messages in order. `left`: remaining steps of the budget. */
export type ValidationResult =
  | Readonly<{ kind: 'valid'; left: number }>
  /** The first invalid message, by its index; those before it are valid. */
  | Readonly<{ kind: 'refused'; index: number; fault: Fault }>
  /** The stored schema does not compile. */
  | Readonly<{ kind: 'no-schema' }>;

/** Validates messages against stored schemas, synchronously. */
export class SchemaValidator {
  /** By their stored texts. */
  private readonly compiled: LRUCache<string, MessageSchema>;

  /** `characters`: limit of the cache of compiled schemas, in characters of their stored texts. */
  constructor(characters: number) {
    this.compiled = new LRUCache({ maxSize: characters, sizeCalculation: ({ states }, text) => text.length + states });
  }

  /** `messages`: base64, or bytes. `steps`: budget for all of them together. */
  validate(schemaText: string, messages: readonly (string | Uint8Array)[], steps: number): ValidationResult {
    let schema: MessageSchema;
    try {
      schema = getOrInsert(this.compiled, schemaText, () => compileSchema(JSON.parse(schemaText) as SchemaContent));
    } catch (error) {
      if (error instanceof SchemaInvalid) return { kind: 'no-schema' };
      throw error;
    }
    const budget = new Budget(steps);
    for (const [index, message] of messages.entries()) {
      const fault = faultOf(schema, message, budget);
      if (fault) return { kind: 'refused', index, fault };
    }
    return { kind: 'valid', left: budget.left };
  }
}

const faultOf = (schema: MessageSchema, message: string | Uint8Array, budget: Budget): Fault | undefined => {
  if (typeof message !== 'string') return schema.faultIn(Buffer.from(message.buffer, message.byteOffset, message.byteLength), budget);
  const place = base64Fault(message);
  return place === undefined ? schema.faultIn(Buffer.from(message, 'base64'), budget) : { kind: 'not-base64', place };
};
