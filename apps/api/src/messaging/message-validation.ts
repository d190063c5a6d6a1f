import { setImmediate as nextTurn } from 'node:timers/promises';
import { base64Fault } from '#infra/schemas/base64.js';
import { Budget } from '#infra/schemas/budget.js';
import { SchemaInvalid } from '#infra/schemas/errors.js';
import { type MessageFault, type MessageSchema, MessageSchemas } from '#infra/schemas/message-schemas.js';
import type { ProjectReference } from '#projections/messaging/account-documents.js';
import type { SchemaDocument } from '#projections/messaging/resource-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import * as errors from './errors.js';
import { SchemaReader } from './schema-reader.js';

/** Other calls get their turn after so many bytes. */
const BYTES_A_TURN = 1024 * 1024;

/** Shared by all calls of the process, because it knows schemas by their content only. */
const compiled = new MessageSchemas();

/** The compiled form of a stored schema. @throws MessagingError I08 */
const compiledOf = (stored: Buffer): MessageSchema => {
  try {
    return compiled.get(stored.toString('utf8'), (text) => JSON.parse(text) as SchemaDocument);
  } catch (error) {
    throw error instanceof SchemaInvalid ? errors.schemaNotLoaded() : error;
  }
};

/** The error that a fault of the `i`th message of a call is answered with. */
const worded = (fault: MessageFault, i: number): errors.MessagingError => {
  switch (fault.kind) {
    case 'not-json':
      return errors.messageNotJson(i, fault.detail);
    case 'violations':
      return errors.messageViolatesSchema(i, fault.violations);
    case 'not-avro':
      return errors.messageNotValid(i, fault.detail);
  }
};

/** Bytes of a message, in base64. @throws MessagingError B22 */
const decoded = (data: string, i: number): Buffer => {
  const place = base64Fault(data);
  if (place !== undefined) throw errors.messageNotBase64(i, `illegal base64 data at input byte ${place}`);
  return Buffer.from(data, 'base64');
};

/**
 * Messages in base64, by a stored schema, in their order; attributes are not looked at (messaging contract 5.3, 5.4).
 * @throws MessagingError B22 to B25 for the first message that is not in order, I08
 */
export const requireValidMessages = async (stored: Buffer, messages: readonly Readonly<{ data: string }>[]): Promise<void> => {
  const schema = compiledOf(stored);
  const budget = new Budget(messages.reduce((bytes, { data }) => bytes + data.length, 0));
  let bytesOfTurn = 0;
  for (const [i, { data }] of messages.entries()) {
    const fault = schema(decoded(data, i), budget);
    if (fault) throw worded(fault, i);
    bytesOfTurn += data.length;
    if (bytesOfTurn < BYTES_A_TURN) continue;
    bytesOfTurn = 0;
    await nextTurn();
  }
};

/** One message as it is, not in base64, by a stored schema. @throws MessagingError B23 to B25 for message 0, I08 */
export const requireValidDocument = (stored: Buffer, message: Buffer): void => {
  const fault = compiledOf(stored)(message, new Budget(message.length));
  if (fault) throw worded(fault, 0);
};

/** Judges messages by the schema of their topic. */
export class MessageValidation {
  private readonly schemas: SchemaReader;

  constructor(store: ReadStore) {
    this.schemas = new SchemaReader(store);
  }

  /**
   * Whether there is a schema by which the messages were judged; `schemaId` may be that of one that has been deleted.
   * @throws MessagingError B22 to B25 for the first message that is not in order, I08
   */
  async require(project: ProjectReference, schemaId: string | null, messages: readonly Readonly<{ data: string }>[]): Promise<boolean> {
    const stored = schemaId === null ? null : await this.schemas.storedById(project, schemaId);
    if (stored) await requireValidMessages(stored, messages);
    return stored !== null;
  }
}
