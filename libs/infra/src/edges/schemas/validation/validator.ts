import { base64Fault } from '#domain/messaging/messages/base64.js';
import type { SchemaContent } from '#domain/messaging/resources/schemas.js';
import { Budget } from '#infra/edges/schemas/budget.js';
import { SchemaInvalid } from '#infra/edges/schemas/errors.js';
import { type MessageFault, type MessageSchema, MessageSchemas } from './message-schemas.js';

/** Reason why a message is refused. `place`: index of the first character that is not base64, as `base64Fault` counts. */
export type Fault = MessageFault | Readonly<{ kind: 'not-base64'; place: number }>;

/** Result for messages in order. `left`: remaining steps of the budget. */
export type ValidationResult =
  | Readonly<{ kind: 'valid'; left: number }>
  /** The first invalid message, by its index; those before it are valid. */
  | Readonly<{ kind: 'refused'; index: number; fault: Fault }>
  /** The stored schema does not compile. */
  | Readonly<{ kind: 'no-schema' }>;

const contentOf = (text: string): SchemaContent => JSON.parse(text) as SchemaContent;

/** Validates messages against stored schemas, synchronously. */
export class SchemaValidator {
  private readonly schemas: MessageSchemas;

  /** `characters`: limit of the cache of compiled schemas, in characters of their stored texts. */
  constructor(characters: number) {
    this.schemas = new MessageSchemas(characters);
  }

  /** `messages`: base64, or bytes. `steps`: budget for all of them together. */
  validate(schemaText: string, messages: readonly (string | Uint8Array)[], steps: number): ValidationResult {
    let schema: MessageSchema;
    try {
      schema = this.schemas.get(schemaText, contentOf);
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
