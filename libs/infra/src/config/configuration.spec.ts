import { describe, expect, it } from '@jest/globals';
import { InvalidConfiguration, loadConfiguration } from './configuration.js';

describe('configuration', () => {
  it('has defaults for everything', () => {
    expect(loadConfiguration({ PATH: '/bin', LOGBOOK_PORT: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDirectory: './data',
      statusCors: false,
      bodyLimitBytes: 67_108_864,
      logLevel: 'info',
      accessLog: false,
    });
  });

  it('reads what is given', () => {
    const masterKey = Buffer.alloc(32, 1).toString('base64');
    expect(
      loadConfiguration({
        LOGBOOK_PORT: '0',
        LOGBOOK_HOST: '::',
        LOGBOOK_DATA_DIR: '/var/lib/logbook',
        EVENTSTORE_URL: 'esdb://user:secret@host:2113?tls=true',
        REDIS_URL: 'rediss://host:6379/2',
        LOGBOOK_REDIS_PREFIX: 'other',
        LOGBOOK_MASTER_KEY: masterKey,
        LOGBOOK_STATUS_ADMIN_KEY: 'a-long-enough-key',
        LOGBOOK_OPS_KEY: 'another-long-enough-key',
        LOGBOOK_STATUS_CORS: 'true',
        LOGBOOK_BODY_LIMIT: '1048576',
        LOGBOOK_LOG_LEVEL: 'debug',
        LOGBOOK_ACCESS_LOG: 'true',
      }),
    ).toEqual({
      host: '::',
      port: 0,
      dataDirectory: '/var/lib/logbook',
      eventStoreUrl: 'esdb://user:secret@host:2113?tls=true',
      redisUrl: 'rediss://host:6379/2',
      redisPrefix: 'other',
      masterKey,
      statusAdminKey: 'a-long-enough-key',
      opsKey: 'another-long-enough-key',
      statusCors: true,
      bodyLimitBytes: 1_048_576,
      logLevel: 'debug',
      accessLog: true,
    });
  });

  it.each([
    ['LOGBOOK_PORT', '80a'],
    ['LOGBOOK_PORT', '65536'],
    ['LOGBOOK_PORT', '-1'],
    ['EVENTSTORE_URL', 'http://host'],
    ['REDIS_URL', 'localhost:6379'],
    ['LOGBOOK_REDIS_PREFIX', 'a{b}'],
    ['LOGBOOK_MASTER_KEY', 'c2hvcnQ='],
    ['LOGBOOK_STATUS_CORS', 'everybody'],
    ['LOGBOOK_BODY_LIMIT', '777'],
    ['LOGBOOK_LOG_LEVEL', 'loud'],
    ['LOGBOOK_ACCESS_LOG', 'yes'],
  ])('names %s when it is wrong, and keeps its value to itself', (name, value) => {
    expect(() => loadConfiguration({ [name]: value })).toThrow(InvalidConfiguration);
    expect(() => loadConfiguration({ [name]: value })).toThrow(new RegExp(`${name} must`));
    expect(() => loadConfiguration({ [name]: value })).not.toThrow(new RegExp(value));
  });

  it('names every wrong variable at once', () => {
    expect(() => loadConfiguration({ LOGBOOK_PORT: 'x', LOGBOOK_LOG_LEVEL: 'y' })).toThrow(/LOGBOOK_PORT .*LOGBOOK_LOG_LEVEL /);
  });
});
