import { describe, expect, it } from '@jest/globals';
import { rolesIn } from './arguments.js';

describe('arguments of the server', () => {
  it.each([
    [[], undefined],
    [['--roles', 'push,history'], 'push,history'],
    [['--roles=projector'], 'projector'],
    [['--roles='], 'none'],
    [['--roles'], 'none'],
  ])('%j', (given, roles) => expect(rolesIn(given)).toBe(roles));
});
