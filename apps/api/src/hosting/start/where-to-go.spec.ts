import { describe, expect, it } from '@jest/globals';
import { NODE_ROLES } from '#infra/platform/config/configuration.js';
import { whereToGo, whyNot } from './where-to-go.js';

const ADDRESS = 'http://127.0.0.1:8080';
const SETTINGS = {
  roles: NODE_ROLES,
  console: true,
  publicUrl: undefined,
  dataDirectory: '/nowhere',
  eventStoreUrl: undefined,
  redisUrl: undefined,
};
const places = (...[settings, asOf]: [object?, Parameters<typeof whereToGo>[2]?]): readonly string[] =>
  whereToGo(ADDRESS, { ...SETTINGS, ...settings }, asOf)
    .replace(/Logbook \S+/, 'Logbook')
    .split('\n')
    .slice(0, -2);

describe('what a server says on a terminal', () => {
  it('is where console, API and data are', () =>
    expect(places()).toEqual([
      `Logbook serves ${ADDRESS}`,
      `  console  ${ADDRESS}/console`,
      `  API      ${ADDRESS}/docs`,
      '  data     /nowhere',
    ]));

  it('is why it did not start, in one line, with the variable to correct', () => {
    const message = 'cannot listen on 127.0.0.1 port 80: it is in use';
    expect(whyNot({ message, variable: 'LOGBOOK_PORT' })).toBe(`Logbook did not start: ${message} (LOGBOOK_PORT)\n`);
    expect(whyNot({ message: 'LOGBOOK_PORT is no port', variable: 'LOGBOOK_PORT' })).toBe(
      'Logbook did not start: LOGBOOK_PORT is no port\n',
    );
    expect(whyNot({ message: 'a\u001b]0;title' })).toBe('Logbook did not start: a\\u001b]0;title\n');
  });

  it('names nothing that the roles of the node do not serve', () =>
    expect(places({ roles: ['projector', 'push'] })).toEqual([
      `Logbook serves ${ADDRESS} (projector, push)`,
      `  health   ${ADDRESS}/health`,
      '  data     /nowhere',
    ]));

  it('names the point in time that it shows', () => {
    const moment = { index: 6, position: 9n, time: '2026-03-01T12:00:00.000Z' };
    expect(places({ console: false }, { moment, clock: 0 })[0]).toBe(`Logbook serves ${ADDRESS} as of position 9`);
    expect(places({ console: false }, { moment: null, clock: 0 })[0]).toBe(`Logbook serves ${ADDRESS} as of position 0`);
  });
});
