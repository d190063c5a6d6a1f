import { Injectable } from '@nestjs/common';
import * as errors from '#api/messaging/errors.js';
import { type MessageBytes, MessageValidator } from '#infra/edges/schemas/validation/message-validator.js';
import type { Fault } from '#infra/edges/schemas/validation/validator.js';
import { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';

const TOO_MUCH_WORK = 'Checking it against the schema takes too many steps';

/** The error for a fault of the `i`th message of a call. */
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

/** Validates messages against the schema of their topic. Projects take turns. */
@Injectable()
export class MessageValidation {
  constructor(
    private readonly schemas: SchemaQueries,
    private readonly validator: MessageValidator,
  ) {}

  /**
   * Validates base64 messages. Returns whether there is a schema; `schemaId` may be that of a deleted one. Attributes are not validated
   * (messaging contract 5.3, 5.4).
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

  /** Validates base64 or raw messages against a stored schema. @throws MessagingError B22 to B25, I08 */
  async requireValid(projectId: string, stored: Buffer, messages: readonly MessageBytes[]): Promise<void> {
    const refusal = await this.validator.refusal(projectId, stored.toString('utf8'), messages);
    if (refusal === 'no-schema') throw errors.schemaNotLoaded();
    if (refusal) throw toHttpError(refusal.fault, refusal.index);
  }
}
