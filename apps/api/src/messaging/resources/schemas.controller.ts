import { Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { done, json } from '#api/messaging/answers/answers.js';
import { bodyOfKnown } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { MessageValidation } from '#api/messaging/messages/message-validation.js';
import { requireNewName, withVerb } from '#api/messaging/names.js';
import { SCHEMA } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import * as examples from '#api/messaging/openapi/examples.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { referencedSchema } from '#api/messaging/references.js';
import { ADMINS } from '#api/messaging/roles.js';
import { Delete, Get, MessagingController, Post, Put } from '#api/messaging/route.js';
import { bodyOfPieces } from '#api/shared/answers/pieces.js';
import type { ReceivedBody } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { shows } from '#api/shared/openapi/described.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j1 } from '#projections/messaging/layout.js';
import { SchemaQueries, schemaIn } from '#projections/messaging/resources/schema-queries.js';
import { CreateSchema, DeleteSchema, ReviseSchema, type SchemaChanges } from './schema-commands.js';
import { newSchemaBody, payload, readPayload, readSchemaRequest, schemaChangesBody } from './schema-request.js';
import { schemaBody, schemaListPieces } from './schema-views.js';

/** Requested changes of the schema of this name. @throws MessagingError B17, B21, B02 */
const changesIn = (body: ReceivedBody | undefined, name: string): SchemaChanges => {
  const { name: reference, type, schema } = readSchemaRequest(body);
  const newName = reference === '' ? name : referencedSchema(reference);
  requireNewName('schema', newName);
  return { name: newName, type, document: schema };
};

/** Schemas, which validate the messages of topics (messaging contract 3.10, 5). */
@MessagingController('v1/projects/:project/schemas', 'messaging: schemas')
export class SchemasController {
  constructor(
    private readonly bus: CommandBus,
    private readonly schemas: SchemaQueries,
    private readonly validation: MessageValidation,
  ) {}

  @Get('', {
    id: 'listSchemas',
    summary: 'The schemas of a project, in the order of their creation',
    who: ADMINS,
    answers: shows({ schemas: [SCHEMA] }, { schemas: [examples.SCHEMA] }),
  })
  list(@Call() { project }: MessagingCall): Answer {
    return json(bodyOfPieces(schemaListPieces(project, this.schemas.list(project.projectId, new TimeSlice()))));
  }

  @Get(':schema', { id: 'getSchema', summary: 'One schema', who: ADMINS, answers: shows(SCHEMA) })
  async show(@Call() { project }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    return json(schemaBody(project, schemaIn(await this.stored(project, name))));
  }

  @Post(':schema', {
    id: 'createSchema',
    summary: 'Creates a schema: `type` json or avro, and the document',
    who: ADMINS,
    limit: 'schema',
    body: newSchemaBody,
    example: examples.NEW_SCHEMA,
    errors: [
      errors.invalidSchemaArguments(),
      errors.schemaExists(),
      errors.invalidSchemaType(),
      errors.schemaNotCompiled('schema is invalid'),
    ],
    answers: shows(SCHEMA),
  })
  async create(@Call() { context, project, body }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    const { type, schema: document } = readSchemaRequest(body);
    const { schema, readable } = await this.bus.execute(new CreateSchema(context, { projectId: project.projectId, name, type, document }));
    return json(schemaBody(project, schema), { readable });
  }

  @Put(':schema', {
    id: 'updateSchema',
    summary: 'Renames a schema, or changes its type or document; what is empty or left out stays',
    who: ADMINS,
    limit: 'schema',
    body: schemaChangesBody,
    example: { name: examples.SCHEMA.name },
    errors: [
      errors.invalidSchemaArguments(),
      errors.wrongSchemaName(),
      errors.schemaExists(),
      errors.invalidSchemaType(),
      errors.schemaNotCompiled('schema is invalid'),
    ],
    answers: shows(SCHEMA),
  })
  async update(@Call() { context, project, body }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    const changes = await bodyOfKnown(
      () => changesIn(body, name),
      () => this.stored(project, name),
    );
    const { schema, readable } = await this.bus.execute(new ReviseSchema(context, { projectId: project.projectId, name, changes }));
    return json(schemaBody(project, schema), { readable });
  }

  @Delete(':schema', {
    id: 'deleteSchema',
    summary: 'Deletes a schema; topics that used it accept anything from then on',
    who: ADMINS,
    answers: DONE,
  })
  async delete(@Call() { context, project: { projectId } }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    return done(this.bus.execute(new DeleteSchema(context, { projectId, name })));
  }

  @Post(withVerb('schema', 'validate'), {
    id: 'validateMessage',
    summary: 'Judges a message by a schema; nothing is stored',
    description: 'Of a json schema: the body is the message. Of an avro schema: `data` is the message, a bare datum in base64.',
    who: ADMINS,
    limit: 'validated',
    repeatable: false,
    body: payload,
    example: { site: 'A' },
    errors: [
      errors.invalidBody(),
      errors.invalidSchemaPayload(),
      errors.messageNotBase64(0, 'illegal base64 data at input byte 0'),
      errors.messageNotJson(0, 'unexpected EOF'),
      errors.messageViolatesSchema(0, ['site: is required']),
      errors.messageNotValid(0, 'no datum of the schema'),
      errors.schemaNotLoaded(),
    ],
    answers: shows({ message: 'text' }, { message: 'Message validated successfully' }),
  })
  async validate(@Call() { project, body }: MessagingCall, @Param('schema') name: string): Promise<Answer> {
    const stored = await this.stored(project, name);
    const { projectId } = project;
    const message = schemaIn(stored).type === 'json' ? (body?.bytes ?? Buffer.alloc(0)) : readPayload(body);
    await this.validation.requireValid(projectId, stored, [message]);
    return json(j1({ message: 'Message validated successfully' }));
  }

  /** @throws MessagingError N05 */
  private async stored({ projectId }: ProjectReference, name: string): Promise<Buffer> {
    return found(await this.schemas.stored(projectId, name), errors.schemaNotFound);
  }
}
