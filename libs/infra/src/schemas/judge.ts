import type { SchemaContent } from '#domain/messaging/resources/resource-commands.js';
import { base64Fault } from './base64.js';
import { Budget } from './budget.js';
import { SchemaInvalid } from './errors.js';
import { type MessageFault, type MessageSchema, MessageSchemas } from './message-schemas.js';

/** Why a message is refused; `place` as in `base64Fault`. */
export type Fault = MessageFault | Readonly<{ kind: 'not-base64'; place: number }>;

/** What became of messages, in their order. `left`: steps that may still be taken. */
export type Verdict =
  | Readonly<{ kind: 'in-order'; left: number }>
  /** The first that is not in order; those before it are. */
  | Readonly<{ kind: 'refused'; index: number; fault: Fault }>
  /** The stored schema does not compile. */
  | Readonly<{ kind: 'no-schema' }>;

/** Reads the text that a schema is stored as. */
const contentOf = (text: string): SchemaContent => JSON.parse(text) as SchemaContent;

/** Judges messages by stored schemas, here and now. */
export class Judge {
  private readonly schemas: MessageSchemas;

  /** `characters`: of the stored schemas whose compiled form is kept. */
  constructor(characters: number) {
    this.schemas = new MessageSchemas(characters);
  }

  /** Bytes in base64, or as they are. `steps`: what all of them may take. */
  verdict(schemaText: string, messages: readonly (string | Uint8Array)[], steps: number): Verdict {
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
    return { kind: 'in-order', left: budget.left };
  }
}

const faultOf = (schema: MessageSchema, message: string | Uint8Array, budget: Budget): Fault | undefined => {
  if (typeof message !== 'string') return schema.judge(Buffer.from(message.buffer, message.byteOffset, message.byteLength), budget);
  const place = base64Fault(message);
  return place === undefined ? schema.judge(Buffer.from(message, 'base64'), budget) : { kind: 'not-base64', place };
};
