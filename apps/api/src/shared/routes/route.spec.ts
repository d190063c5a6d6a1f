import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Controller, Module, Param, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { due, named, struct, text, unsaid } from '#api/shared/bodies/body-shape.js';
import { answer, parameter, requiredParameter } from '#api/shared/openapi/described.js';
import { doc } from '#domain/shared/shape.js';
import { declaredRoutes } from './declared-routes.js';
import { describeServices, type ServiceDescription } from './describe.js';
import { routesOf } from './route.js';

const { Get, Post } = routesOf<Readonly<{ who: string }>>(({ who }) => ({ who }));

const label = named('Label', struct({ name: due(text, doc('text', 'unique')), note: text, uuid: unsaid(text) }));

const refusal = (statusCode: number, message: string) => ({ statusCode, body: { error: { message } } });

@Controller('labels')
class LabelsController {
  @Post('', {
    id: 'createLabel',
    summary: 'Makes a label',
    who: 'editor',
    body: label,
    example: { name: 'a' },
    errors: [refusal(409, 'taken'), refusal(409, 'too many'), refusal(422, 'no name')],
    answers: { 201: {} },
  })
  create(): void {}

  @Get(
    { 'label/:id': ['getLabelAtOldPath', 'One label, at its old path'], ':id': 'getLabel' },
    {
      summary: 'One label',
      who: 'viewer',
      path: { id: parameter('text', 'id of the label', '5') },
      query: { day: requiredParameter('day', 'as of this day', '2024-01-01'), view: parameter('text', 'what is shown') },
      answers: { 200: answer({ name: 'text' }, { name: 'a' }) },
    },
  )
  get(@Param('id') _id: string): void {}
}

const documentOf = async (...controllers: readonly Type[]) => {
  @Module({ controllers: [...controllers] })
  class Application {}
  const app = await NestFactory.create<NestFastifyApplication>(Application, new FastifyAdapter(), { preview: true, logger: false });
  const bare = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  const labels: ServiceDescription = {
    name: 'Labels',
    owns: () => true,
    errors: () => ({ 400: { description: 'wrong' } }),
    error: { error: { message: 'text' } },
    refusals: (path, query) => [
      ...(path.includes('{id}') ? [refusal(404, 'no such label')] : []),
      ...(query.has('day') ? [refusal(400, 'no day')] : []),
    ],
  };
  return describeServices(bare, [labels], declaredRoutes(app));
};

describe('the declaration of a route', () => {
  it('gives its operation the name, the body with its words, and the answer', async () => {
    const { paths, components } = await documentOf(LabelsController);
    expect(paths['/labels']?.post).toMatchObject({
      operationId: 'createLabel',
      summary: 'Makes a label',
      parameters: [{ name: 'Idempotency-Key', in: 'header', required: false }],
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Label' }, example: { name: 'a' } } } },
      responses: { 201: { description: 'Makes a label' } },
    });
    expect(components?.schemas?.Label).toEqual({
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'unique' }, note: { type: 'string' } },
    });
  });

  it('describes the parameters', async () => {
    const { paths } = await documentOf(LabelsController);
    expect(paths['/labels/{id}']?.get?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, description: 'id of the label', schema: { type: 'string' }, example: '5' },
      {
        name: 'day',
        in: 'query',
        required: true,
        description: 'as of this day',
        schema: { type: 'string', format: 'date' },
        example: '2024-01-01',
      },
      { name: 'view', in: 'query', required: false, description: 'what is shown', schema: { type: 'string' } },
    ]);
  });

  it('names its own errors, in place of those that all have', async () => {
    const { paths } = await documentOf(LabelsController);
    type Refused = Readonly<Record<string, Readonly<{ value: ReturnType<typeof refusal>['body'] }>>>;
    const examplesOf = (responses: object) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const examples: Refused = content?.['application/json']?.examples ?? {};
        return Object.entries(examples).map(([name, { value }]) => [status, name, value.error.message]);
      });
    expect(examplesOf(paths['/labels']?.post?.responses ?? {})).toEqual([
      ['409', 'taken', 'taken'],
      ['409', 'too many', 'too many'],
      ['422', 'no name', 'no name'],
    ]);
    expect(examplesOf(paths['/labels/{id}']?.get?.responses ?? {})).toEqual([
      ['400', 'no day', 'no day'],
      ['404', 'no such label', 'no such label'],
    ]);
  });

  it('has another id for its other path', async () => {
    const { paths } = await documentOf(LabelsController);
    expect(paths['/labels/{id}']?.get).toMatchObject({ operationId: 'getLabel', summary: 'One label' });
    expect(paths['/labels/label/{id}']?.get).toMatchObject({
      operationId: 'getLabelAtOldPath',
      summary: 'One label, at its old path',
      responses: { 200: { description: 'One label' } },
    });
  });

  it('is refused when another route has its id', async () => {
    @Controller('others')
    class OthersController {
      @Get('', { id: 'getLabel', summary: 'Another', who: 'viewer', answers: {} })
      get(): void {}
    }
    await expect(documentOf(LabelsController, OthersController)).rejects.toThrow('two routes have the id getLabel');
  });
});
