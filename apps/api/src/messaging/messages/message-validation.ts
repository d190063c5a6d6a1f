import { Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { type MessageBytes, MessageValidator } from '#infra/edges/schemas/validation/message-validator.js';
import type { Fault } from '#infra/edges/schemas/validation/validator.js';
import { SchemaQueries } from '#projections/messaging/resources/queries.js';

const TOO_MUCH_WORK = 'Checking it against the schema takes too many steps';

/** The error that a fault of the `i`th message of a call is answered with. */
const toHttpError = (fault: Fault, i: number): errors.MessagingError => {
  switch (fault.kind) {
    case 'not-base64':
      return errors.messageNotBase64(i, `illegal base64 data at input byte ${fault.place}`);
    case 'not-json':
      return errors.messageNotJson(i, fault.detail);
    case 'violations':
      return errors.messageViolatesSchema(i, fault.violations);
    case 'not-avro':
      return errors.messageNotValid(i, fault.detail);
    case 'exhausted':
      return fault.of === 'json' ? errors.messageViolatesSchema(i, [`(root): ${TOO_MUCH_WORK}`]) : errors.messageNotValid(i, TOO_MUCH_WORK);
  }
};

/** Validates messages against the schema of their topic, in turns with the other projects. */
@Injectable()
export class MessageValidation {
  constructor(
    private readonly schemas: SchemaQueries,
    private readonly validator: MessageValidator,
  ) {}

  /**
   * Whether there is a schema against which the messages, in base64, were validated; `schemaId` may be that of one that has been deleted. Attributes are
   * not looked at (messaging contract 5.3, 5.4).
   * @throws MessagingError B22 to B25 for the first message that is invalid, I08
   */
  async require(projectId: string, schemaId: string | null, messages: readonly Readonly<{ data: string }>[]): Promise<boolean> {
    const stored = schemaId === null ? null : await this.schemas.storedById(projectId, schemaId);
    if (stored)
      await this.requireValid(
        projectId,
        stored,
        messages.map(({ data }) => data),
      );
    return stored !== null;
  }

  /** Messages in base64, or as they are, against a stored schema. @throws MessagingError B22 to B25, I08 */
  async requireValid(projectId: string, stored: Buffer, messages: readonly MessageBytes[]): Promise<void> {
    const refusal = await this.validator.refusal(projectId, stored.toString('utf8'), messages);
    if (refusal === 'no-schema') throw errors.schemaNotLoaded();
    if (refusal) throw toHttpError(refusal.fault, refusal.index);
  }
}
