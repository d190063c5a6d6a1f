import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as errors from '#api/messaging/errors.js';
import { MessagingRoute, projectOf } from '#api/messaging/http-policy.js';
import { MessageValidation } from '#api/messaging/messages/message-validation.js';
import { requireName, withVerb } from '#api/messaging/names.js';
import { referencedSchema } from '#api/messaging/references.js';
import { sendEmpty, sendJ1, sendStored } from '#api/messaging/responses.js';
import { answerOfPieces } from '#api/messaging/streamed-body.js';
import { CLOCK, READ_STORE } from '#api/shared/tokens.js';
import type { SchemaContent } from '#domain/messaging/resources/resource-commands.js';
import type { Clock } from '#domain/shared/clock.js';
import { MessageValidator } from '#infra/schemas/validation/message-validator.js';
import type { ProjectReference } from '#projections/messaging/accounts/account-documents.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ResourceWriter } from './resource-writer.js';
import { SchemaReader, schemaIn } from './schema-reader.js';
import { compilable, payload, rawBody, readPayload, readSchemaRequest, schemaRequest, schemaTypeOf } from './schema-request.js';
import { schemaBody, schemaListPieces } from './schema-views.js';

type SchemaPath = Readonly<{ schema: string }>;

/** Schemas, by which messages of topics are judged (messaging contract 3.10, 5). */
@ApiTags('messaging: schemas')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/schemas')
export class SchemasController {
  private readonly reader: SchemaReader;
  private readonly writer: ResourceWriter;
  private readonly validation: MessageValidation;

  constructor(
    commands: CommandBus,
    @Inject(READ_STORE) store: ReadStore,
    @Inject(CLOCK) clock: Clock,
    private readonly validator: MessageValidator,
  ) {
    this.validation = new MessageValidation(store, validator);
    this.reader = new SchemaReader(store);
    this.writer = new ResourceWriter(commands, clock);
  }

  @Get()
  @MessagingRoute('schemas:list')
  @ApiOperation({ summary: 'The schemas of a project, in the order of their creation' })
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    (await answerOfPieces(schemaListPieces(project, this.reader.list(project)))).send(reply);
  }

  @Get(':schema')
  @MessagingRoute('schemas:show')
  @ApiOperation({ summary: 'One schema' })
  async show(@Param() { schema: name }: SchemaPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    sendStored(reply, schemaBody(project, schemaIn(await this.reader.stored(project, name))));
  }

  @Post(':schema')
  @HttpCode(200)
  @MessagingRoute('schemas:create', 'schema')
  @ApiOperation({ summary: 'Creates a schema: `type` json or avro, and the document' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaRequest.schema })
  async create(@Param() { schema: name }: SchemaPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const content = await this.newContent(request, project, name);
    const [created] = await this.writer.write(request, reply, { type: 'CreateSchema', schemaId: randomUUID(), name, content });
    if (created?.type !== 'SchemaCreated') throw new Error('a creation made no schema');
    sendStored(reply, schemaBody(project, created.data));
  }

  @Put(':schema')
  @MessagingRoute('schemas:update', 'schema')
  @ApiOperation({ summary: 'Renames a schema, or changes its type or document; what is empty or left out stays' })
  @ApiBody({ schema: schemaRequest.schema })
  async update(@Param() { schema: name }: SchemaPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const before = schemaIn(await this.reader.stored(project, name));
    const given = readSchemaRequest(request);
    const newName = given.name === '' ? name : referencedSchema(given.name, project);
    requireName('schema', newName);
    if (newName !== name && (await this.reader.exists(project, newName))) throw errors.schemaExists();
    const type = given.type === '' ? before.type : schemaTypeOf(given.type);
    const document = given.schema && Object.keys(given.schema).length > 0 ? given.schema : before.document;
    const content =
      type === before.type && document === before.document
        ? undefined
        : await compilable(this.validator, project.projectId, type, document);
    await this.writer.write(request, reply, { type: 'ReviseSchema', name, newName, ...(content ? { content } : {}) });
    sendStored(reply, schemaBody(project, { ...before, name: newName, type, document }));
  }

  @Delete(':schema')
  @MessagingRoute('schemas:delete')
  @ApiOperation({ summary: 'Deletes a schema; topics that used it accept anything from then on' })
  async delete(@Param() { schema: name }: SchemaPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.writer.write(request, reply, { type: 'DeleteSchema', name });
    sendEmpty(reply);
  }

  @Post(withVerb('schema', 'validate'))
  @HttpCode(200)
  @MessagingRoute('schemas:validateMessage', 'judged')
  @ApiOperation({
    summary: 'Validates a message by a schema; nothing is stored',
    description: 'Of a json schema: the body is the message. Of an avro schema: `data` is the message, a bare datum in base64.',
  })
  @ApiBody({ schema: payload.schema })
  async validate(@Param() { schema: name }: SchemaPath, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const project = projectOf(request);
    const stored = await this.reader.stored(project, name);
    const message = schemaIn(stored).type === 'json' ? rawBody(request) : readPayload(request).data;
    await this.validation.requireValid(project.projectId, stored, [message]);
    sendJ1(reply, { message: 'Message validated successfully' });
  }

  /**
   * What a creation asks for. A name that is taken is told before what is wrong with the schema, but a creation that is in order is left to the
   * rules of the project: it may be the repeat of an earlier one. @throws MessagingError B17, C04, B19, B20
   */
  private async newContent(request: FastifyRequest, project: ProjectReference, name: string): Promise<SchemaContent> {
    const { type, schema } = readSchemaRequest(request);
    try {
      return await compilable(this.validator, project.projectId, schemaTypeOf(type), schema);
    } catch (error) {
      throw (await this.reader.exists(project, name)) ? errors.schemaExists() : error;
    }
  }
}
