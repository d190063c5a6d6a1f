import { describe, expect, it } from '@jest/globals';
import { referencedSchema, referencedTopic } from './references.js';

const p = { projectId: 'id', name: 'p' };

describe('A reference to a topic', () => {
  it.each(['projects/p/topics/t', 'projects/p/topic/t'])('names the topic in %j', (reference) =>
    expect(referencedTopic(reference, p)).toBe('t'),
  );

  it.each([
    '',
    't',
    'topics/t',
    '/projects/p/topics/t',
    'projects/p/topics/t/',
    'projects/p/topics/t/x',
    'projects/p/topics/',
    'projects/p/topics',
    'projects/q/topics/t',
    'project/p/topics/t',
    'projects/p/subscriptions/t',
    'a/b/c/d',
    '///',
  ])('is not %j', (reference) => expect(() => referencedTopic(reference, p)).toThrow('Invalid Topic name'));
});

describe('A reference to a schema', () => {
  it('names the schema', () => expect(referencedSchema('projects/p/schemas/s', p)).toBe('s'));

  it.each([
    's',
    'schemas/s',
    '/projects/p/schemas/s',
    'projects/p/schemas/s/',
    'projects/p/schemas/s/x',
    'projects/p/schemas',
    'projects/p/schemas/',
    'projects/q/schemas/s',
    'projects//schemas/s',
    'projects/p/topics/s',
    'project/p/schemas/s',
  ])('is not %j', (reference) => expect(() => referencedSchema(reference, p)).toThrow('wrong schema name declaration'));
});
