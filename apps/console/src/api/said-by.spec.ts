import { describe, expect, it } from '@jest/globals';
import { saidBy } from './said-by.js';

describe('An answer that is an error', () => {
  it.each([
    [
      'problem details with members',
      {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: 'not so',
        instance: 'r1',
        errors: [{ member: 'from', detail: 'is missing' }],
      },
      { title: 'Bad Request', detail: 'not so: from is missing', instance: 'r1' },
    ],
    [
      'an error of messaging',
      { error: { code: 404, message: 'Topic does not exist', status: 'NOT_FOUND' } },
      { title: 'Topic does not exist', detail: '' },
    ],
    ['an error of accounting', { code: 404, message: 'There is no Provider' }, { title: 'There is no Provider', detail: '' }],
    [
      'an error of status',
      { status: { message: 'Not Found', code: '404' }, errors: [{ message: 'Not Found', code: '404', details: 'item was not found' }] },
      { title: 'Not Found', detail: 'item was not found' },
    ],
    [
      'an error of status without a list',
      { status: { message: 'Unauthorized', code: '401', details: 'send a key' } },
      { title: 'Unauthorized', detail: 'send a key' },
    ],
    [
      'an error with details beside its message',
      { message: 'Conflict', code: '409', details: 'it exists' },
      { title: 'Conflict', detail: 'it exists' },
    ],
    ['a text in place of an error', { error: 'away' }, { title: 'away', detail: '' }],
    ['nothing', {}, { detail: '' }],
    ['no object', [], { detail: '' }],
  ])('is read from %s', (_of, body, said) => expect(saidBy(body)).toEqual(said));
});
