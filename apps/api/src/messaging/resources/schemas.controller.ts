import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiHeader, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { empty, json } from '#api/messaging/answers.js';
import { bodyOfKnown } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { found } from '#api/messaging/found.js';
import { MessagingRoute } from '#api/messaging/http-policy.js';
import { MessageValidation } from '#api/messaging/messages/message-validation.js';
import { requireName, withVerb } from '#api/messaging/names.js';
import { CallerContext, Project } from '#api/messaging/parameters.js';
import { referencedSchema } from '#api/messaging/references.js';
import { answerOfPieces } from '#api/messaging/streamed-body.js';
import type { ReceivedBody } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { RawBody } from '#api/shared/http/parameters.js';
import { schemaOf } from '#api/shared/openapi/shape.js';
import type { CommandContext } from '#domain/shared/execution.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { j1 } from '#projections/messaging/layout.js';
import { SchemaQueries, schemaIn } from '#projections/messaging/resources/queries.js';
import { CreateSchema, DeleteSchema, ReviseSchema, type SchemaChanges } from './schema-commands.js';
import { payload, readPayload, readSchemaRequest, schemaRequest } from './schema-request.js';
import { schemaBody, schemaListPieces } from './schema-views.js';

/** What a body asks to change of the schema of this name. @throws MessagingError B17, B21, B02 */
const changesIn = (body: ReceivedBody | undefined, project: ProjectReference, name: string): SchemaChanges => {
  const { name: reference, type, schema } = readSchemaRequest(body);
  const newName = reference === '' ? name : referencedSchema(reference, project);
  requireName('schema', newName);
  return { name: newName, type, document: schema };
};

/** Schemas, by which messages of topics are validatord (messaging contract 3.10, 5). */
@ApiTags('messaging: schemas')
@ApiSecurity('x-api-key')
@Controller('v1/projects/:project/schemas')
export class SchemasController {
  constructor(
    private readonly bus: CommandBus,
    private readonly schemas: SchemaQueries,
    private readonly validation: MessageValidation,
  ) {}

  @Get()
  @MessagingRoute('schemas:list')
  @ApiOperation({ summary: 'The schemas of a project, in the order of their creation' })
  list(@Project() project: ProjectReference): Promise<Answer> {
    return answerOfPieces(schemaListPieces(project, this.schemas.list(project.projectId, new TimeSlice())));
  }

  @Get(':schema')
  @MessagingRoute('schemas:show')
  @ApiOperation({ summary: 'One schema' })
  async show(@Project() project: ProjectReference, @Param('schema') name: string): Promise<Answer> {
    return json(schemaBody(project, schemaIn(await this.stored(project, name))));
  }

  @Post(':schema')
  @HttpCode(200)
  @MessagingRoute('schemas:create', 'schema')
  @ApiOperation({ summary: 'Creates a schema: `type` json or avro, and the document' })
  @ApiHeader({ name: 'Idempotency-Key', required: false })
  @ApiBody({ schema: schemaOf(schemaRequest) })
  async create(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('schema') name: string,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const { type, schema: document } = readSchemaRequest(body);
    const { schema, readable } = await this.bus.execute(new CreateSchema(context, project.projectId, name, type, document));
    return json(schemaBody(project, schema), { readable });
  }

  @Put(':schema')
  @MessagingRoute('schemas:update', 'schema')
  @ApiOperation({ summary: 'Renames a schema, or changes its type or document; what is empty or left out stays' })
  @ApiBody({ schema: schemaOf(schemaRequest) })
  async update(
    @CallerContext() context: CommandContext,
    @Project() project: ProjectReference,
    @Param('schema') name: string,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
    const changes = await bodyOfKnown(
      () => changesIn(body, project, name),
      () => this.stored(project, name),
    );
    const { schema, readable } = await this.bus.execute(new ReviseSchema(context, project.projectId, name, changes));
    return json(schemaBody(project, schema), { readable });
  }

  @Delete(':schema')
  @MessagingRoute('schemas:delete')
  @ApiOperation({ summary: 'Deletes a schema; topics that used it accept anything from then on' })
  async delete(
    @CallerContext() context: CommandContext,
    @Project() { projectId }: ProjectReference,
    @Param('schema') name: string,
  ): Promise<Answer> {
    const { readable } = await this.bus.execute(new DeleteSchema(context, projectId, name));
    return empty({ readable });
  }

  @Post(withVerb('schema', 'validate'))
  @HttpCode(200)
  @MessagingRoute('schemas:validateMessage', 'validated')
  @ApiOperation({
    summary: 'Judges a message by a schema; nothing is stored',
    description: 'Of a json schema: the body is the message. Of an avro schema: `data` is the message, a bare datum in base64.',
  })
  @ApiBody({ schema: schemaOf(payload) })
  async validate(
    @Project() project: ProjectReference,
    @Param('schema') name: string,
    @RawBody() body: ReceivedBody | undefined,
  ): Promise<Answer> {
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
