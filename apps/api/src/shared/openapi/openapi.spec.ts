import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { nameOperations } from './operation-names.js';
import { describeRequest } from './request-bodies.js';
import { component, doc, nullable, oneOf, Schemas } from './shape.js';
import { shareTitled } from './titled-schemas.js';

const operation = () => ({ responses: {} });
const NONE = new Set<string>();
const documentOf = (paths: object): OpenAPIObject => ({ openapi: '3.1.0', info: { title: '', version: '' }, paths }) as OpenAPIObject;

describe('operation ids', () => {
  it('are those that are written down, and follow from them for OPTIONS', () => {
    const { paths } = nameOperations(
      documentOf({ '/a': { get: operation(), options: operation() } }),
      { '/a': { get: ['listA', 'All'] } },
      NONE,
    );
    expect(paths['/a']).toMatchObject({ get: { operationId: 'listA', summary: 'All' }, options: { operationId: 'optionsOfListA' } });
  });

  it.each([
    ['an operation has none', { '/a': { get: operation(), post: operation() } }, { '/a': { get: 'listA' } }, 'no operation id: post /a'],
    ['a call is gone', { '/a': { get: operation() } }, { '/a': { get: 'listA', post: 'createA' } }, 'without operation: post /a'],
    [
      'two are the same',
      { '/a': { get: operation() }, '/b': { get: operation() } },
      { '/a': { get: 'x' }, '/b': { get: 'x' } },
      'the same id, x',
    ],
  ])('are refused when %s', (_, paths, names, message) => {
    expect(() => nameOperations(documentOf(paths), names as Parameters<typeof nameOperations>[1], NONE)).toThrow(message);
  });
});

describe('the description of a request body', () => {
  const read = { type: 'object', properties: { name: { type: 'string' }, id: { type: 'string' } } };
  const described = (request: Parameters<Schemas['of']>[0]) => {
    const content = { 'application/json': { schema: read } as Record<string, unknown> };
    describeRequest('post /a', { content }, { answers: {}, request, ignores: ['id'] }, new Schemas());
    return content['application/json'];
  };

  it('takes the place of what the controller says', () => {
    expect(described(component('New', { name: doc('text', 'unique') }))).toEqual({ schema: { $ref: '#/components/schemas/New' } });
  });

  it.each([
    ['lacks a member that is read', {}, 'no /name'],
    ['has a member that nobody reads', { name: 'text', more: 'text' }, 'unknown /more'],
  ] as const)('is refused when it %s', (_, request, message) => expect(() => described(request)).toThrow(message));
});

describe('shapes', () => {
  it('keep the format of a text that may be null', () => {
    expect(new Schemas().of({ day: nullable('day'), 'kind?': nullable(oneOf('a')) })).toEqual({
      type: 'object',
      required: ['day'],
      properties: {
        day: { type: ['string', 'null'], format: 'date' },
        kind: { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
      },
    });
  });
});

describe('schemas with a title', () => {
  it('are shared, and leave an example where they were', () => {
    const schema = { title: 'Key', type: 'object', properties: { name: { type: 'string', example: 'audit' } } };
    const { paths, components } = shareTitled(
      documentOf({ '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } }),
    );
    expect(paths['/a']?.get?.responses['200']).toEqual({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Key' }, example: { name: 'audit' } } },
    });
    expect(Object.keys(components?.schemas ?? {})).toEqual(['Key']);
  });
});
