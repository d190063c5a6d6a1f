import { describe, expect, it } from '@jest/globals';
import { resultIn } from './result-in.js';

const [first, second] = [
  { host: 'a', metric: 'ping' },
  { host: 'b', metric: 'ping' },
];

describe('a result of an event', () => {
  it('is found by its place', () => expect(resultIn({ tenantId: 't', results: [first, second] }, 1)).toEqual(second));

  it('has the host of an event of version 1', () =>
    expect(resultIn({ host: 'c', results: [{ metric: 'ping' }] }, 0)).toEqual({ host: 'c', metric: 'ping' }));

  it.each([{ results: [first] }, { results: '[personal]' }, { id: 'x' }])('is not there in %j', (data) =>
    expect(resultIn(data, 1)).toBeUndefined(),
  );
});
