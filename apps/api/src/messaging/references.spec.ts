import { describe, expect, it } from '@jest/globals';
import { deadLetterTopicIn, referencedSchema, referencedTopic } from './references.js';

const p = { projectId: 'id', name: 'p' };
/** References with too few or too many parts. */
const BROKEN = ['', 't', 'topics/t', '/projects/p/topics/t', 'projects/p/topics/t/', 'projects/p/topics/t/x', 'projects/p/topics'];

describe('A reference to the topic of a subscription', () => {
  it.each(['projects/p/topics/t', 'projects/p/topic/t', 'projects/other/topics/t', 'projects//topics/t', 'project/p/topics/t'])(
    'names the topic in %j',
    (reference) => expect(referencedTopic(reference)).toBe('t'),
  );

  it('names a topic that cannot exist if its last part is empty', () => expect(referencedTopic('projects/p/topics/')).toBe(''));

  it.each([...BROKEN, 'a/b/c/d', '///', 'project/p/topic/t'])('is not %j', (reference) =>
    expect(() => referencedTopic(reference)).toThrow('Invalid Topic name'),
  );
});

describe('A reference to the topic of dead letters', () => {
  it.each(['projects/p/topics/t', 'projects/p/topic/t'])('names the topic in %j', (reference) =>
    expect(deadLetterTopicIn(reference, p)).toBe('t'),
  );

  it.each([...BROKEN, 'projects/p/topics/', 'projects/q/topics/t', 'project/p/topics/t', 'projects/p/subscriptions/t'])(
    'is not %j',
    (reference) => expect(() => deadLetterTopicIn(reference, p)).toThrow('Invalid Topic name'),
  );
});

describe('A reference to a schema', () => {
  it.each(['projects/p/schemas/s', 'projects/q/schemas/s', 'projects//schemas/s'])('names the schema in %j', (reference) =>
    expect(referencedSchema(reference)).toBe('s'),
  );

  it('names a schema that cannot exist if its last part is empty', () => expect(referencedSchema('projects/p/schemas/')).toBe(''));

  it.each([
    's',
    'schemas/s',
    '/projects/p/schemas/s',
    'projects/p/schemas/s/',
    'projects/p/schemas/s/x',
    'projects/p/schemas',
    'projects/p/topics/s',
    'project/p/schemas/s',
  ])('is not %j', (reference) => expect(() => referencedSchema(reference)).toThrow('wrong schema name declaration'));
});
