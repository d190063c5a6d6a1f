import { describe, expect, it } from '@jest/globals';
import { argumentsIn } from './arguments.js';

describe('arguments of the server', () => {
  it.each([
    [[], undefined],
    [['--roles', 'push,history'], 'push,history'],
    [['--roles=projector'], 'projector'],
    [['--roles='], 'none'],
    [['--roles'], 'none'],
  ])('%j are roles', (given, roles) => expect(argumentsIn(given)).toEqual({ ask: 'serve', roles }));

  it.each([
    [['--help'], { ask: 'help' }],
    [['--roles', 'api', '-h'], { ask: 'help' }],
    [['--version'], { ask: 'version' }],
    [['-V'], { ask: 'version' }],
    [['--rols=api'], { ask: 'refused', argument: '--rols=api' }],
    [['help'], { ask: 'refused', argument: 'help' }],
    [['--roles', 'api', 'push'], { ask: 'refused', argument: 'push' }],
  ])('%j start no server', (given, asked) => expect(argumentsIn(given)).toEqual(asked));
});
