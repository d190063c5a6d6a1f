import { describe, expect, it } from '@jest/globals';
import { withRoles } from './arguments.js';

describe('arguments of the server', () => {
  it.each([
    [[], 'api'],
    [['--roles', 'push,history'], 'push,history'],
    [['--roles=projector'], 'projector'],
    [['--roles='], 'none'],
    [['--roles'], 'none'],
  ])('%j', (given, roles) => expect(withRoles({ LOGBOOK_ROLES: 'api' }, given)).toEqual({ LOGBOOK_ROLES: roles }));
});
