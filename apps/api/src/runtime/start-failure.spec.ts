import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { parseConnectionString } from '#infra/stores/event-store/eventstoredb/grpc/connection-string.js';
import { parseRedisUrl } from '#infra/stores/read-store/redis/connection/redis-url.js';
import { CannotListen, startFailureOf } from './start-failure.js';

describe('a start that fails at a file', () => {
  const failureOf = (error: unknown) => startFailureOf(error, loadConfiguration({ LOGBOOK_DATA_DIR: './no-such-directory' }));
  const failed = (path: string): Promise<unknown> => mkdir(path).catch((error: unknown) => error);

  it('of the data directory names it, also where the failure is a cause', async () => {
    const error = await failed('no-such-directory/keys/master.key');
    for (const given of [error, new Error('the keys cannot be read', { cause: error })])
      expect(failureOf(given)).toEqual({
        variable: 'LOGBOOK_DATA_DIR',
        message: expect.stringMatching(/^the data directory cannot be used: ENOENT: .*master\.key'$/),
      });
  });

  it('elsewhere is a mistake of the program', async () => {
    expect(failureOf(await failed('/no-such-directory/keys'))).toBeUndefined();
    expect(failureOf(await failed('no-such-directory-either/keys'))).toBeUndefined();
    expect(failureOf(new TypeError('undefined is no function'))).toBeUndefined();
  });
});

describe('a start whose port is in use', () => {
  it.each(['LOGBOOK_PORT', 'LOGBOOK_X509_PORT'])('names the variable of the port: %s', (variable) => {
    const failed = new CannotListen('127.0.0.1', 8_443, { code: 'EADDRINUSE', message: 'in use' }, variable);
    expect(startFailureOf(failed)).toMatchObject({ variable });
  });
});

describe('a start whose connection string', () => {
  it('of Redis has a password with special characters names the variable', () => {
    let failure: unknown;
    try {
      parseRedisUrl('redis://:pa/ss@host:6379');
    } catch (error) {
      failure = startFailureOf(error);
    }
    expect(failure).toEqual({ variable: 'REDIS_URL', message: expect.stringMatching(/percent-encoded$/) });
  });

  it('holds a wrong value names the variable and the option', () => {
    let failure: unknown;
    try {
      parseConnectionString('esdb://a:secret@node?keepAliveInterval=-2');
    } catch (error) {
      failure = startFailureOf(error);
    }
    expect(failure).toEqual({
      variable: 'EVENTSTORE_URL',
      message: expect.stringMatching(/keepAliveInterval .* milliseconds, or -1 for none$/),
    });
  });
});
