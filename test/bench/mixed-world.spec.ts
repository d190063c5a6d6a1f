import { describe, expect, it } from '@jest/globals';
import { MIXED, mixedRequests, spread } from './mixed-world.js';

describe('mixed load', () => {
  it('reads with 70 %, writes with 15 %, publishes with 10 % and pulls and acknowledges with 5 % of its requests', () => {
    const requestsOfPull = 2;
    const {
      'update a record': updates = 0,
      'record a metric': metrics = 0,
      publish = 0,
      'pull and acknowledge': pulls = 0,
      ...reads
    } = MIXED;
    const read = Object.values(reads).reduce((sum, count) => sum + count, 0);
    expect([read, updates + metrics, publish, pulls * requestsOfPull]).toEqual([140, 30, 20, 10]);
  });

  it('has each step as evenly as its share allows', () => {
    expect(spread({ publish: 4, 'read a record': 2, 'pull and acknowledge': 1 }).map((step) => step[1])).toEqual([...'ueuuueu']);
  });

  it('begins each connection at another step, and keeps the requests of a step together', () => {
    const world = {
      requests: (step: string) => [...(step === 'publish' ? 'p' : 'ab')].map((path) => ({ method: 'GET' as const, path })),
    };
    const pathsOf = (connection: number) =>
      mixedRequests(world, { publish: 2, 'pull and acknowledge': 1 }, connection).map(({ path }) => path);
    expect([0, 32, 63].map((connection) => pathsOf(connection).join(''))).toEqual(['pabp', 'abpp', 'ppab']);
  });
});
