import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { completeIds } from '#api/shared/routes/operation-ids.js';
import { bounded, component, either, exampleOf, nullable, oneOf, Schemas } from '#domain/shared/shape.js';

const operation = () => ({ responses: {} });
const documentOf = (paths: object): OpenAPIObject => ({ openapi: '3.1.0', info: { title: '', version: '' }, paths }) as OpenAPIObject;

const named = (operationId: string) => ({ operationId, responses: {} });

describe('operation ids', () => {
  it('are those that routes declare, and follow from them for OPTIONS', () => {
    const { paths } = completeIds(documentOf({ '/a': { options: operation(), get: named('listA') } }), new Set(['listA']));
    expect(paths['/a']).toMatchObject({ get: { operationId: 'listA' }, options: { operationId: 'optionsOfListA' } });
  });

  it.each([
    ['an operation has none', { '/a': { get: named('listA'), post: operation() } }, 'no operation id: post /a'],
    ['two are the same', { '/a': { get: named('listA') }, '/b': { get: named('listA') } }, 'the same id, listA'],
  ])('are refused when %s', (_, paths, message) => {
    expect(() => completeIds(documentOf(paths), new Set(['listA']))).toThrow(message);
  });
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

  it('have an example of their own, or one composed of those of their parts', () => {
    const named = component('Named', { name: 'text', 'since?': nullable('day') }).shownAs({ name: 'audit' });
    expect(exampleOf({ items: [named], 'next?': nullable(bounded('text', { example: 'b' })), '*': 'any' })).toEqual({
      items: [{ name: 'audit' }],
      next: 'b',
    });
    expect(component('Either', either(named, 'text')).example).toEqual({ name: 'audit' });
    expect(exampleOf({ name: 'text', until: nullable('day') })).toEqual({ until: null });
    expect(exampleOf(['count'])).toBeUndefined();
  });
});
