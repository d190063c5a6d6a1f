import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { MalformedConnectionString, parseConnectionString } from './connection-string.js';

const node = { host: 'node.example.org', port: 2113 };

describe('connection strings', () => {
  it.each(['esdb', 'kurrentdb', 'kurrent', 'kdb'])('with the scheme %s name a node or a cluster', (scheme) => {
    expect(parseConnectionString(`${scheme}://node.example.org?tls=false`)).toMatchObject({ hosts: [node], discover: false });
    expect(parseConnectionString(`${scheme}+discover://node.example.org:2113/?tls=false`)).toMatchObject({ hosts: [node], discover: true });
  });

  it('name several nodes of a cluster', () => {
    expect(parseConnectionString('esdb://one,two:2114,127.0.0.1:3,[::1]:4?tls=false')).toMatchObject({
      hosts: [
        { host: 'one', port: 2113 },
        { host: 'two', port: 2114 },
        { host: '127.0.0.1', port: 3 },
        { host: '::1', port: 4 },
      ],
      discover: true,
    });
  });

  it('carry credentials, which are sent with TLS only', () => {
    const { session } = parseConnectionString('kurrentdb://ad%40min:p%3Aw%2F@node.example.org');
    expect(session.headers.authorization).toBe(`Basic ${Buffer.from('ad@min:p:w/').toString('base64')}`);
    expect(parseConnectionString('esdb://a:b@node.example.org?tls=false').session).toMatchObject({ secure: undefined });
    expect(parseConnectionString('esdb://a:b@node.example.org?tls=false').session.headers).not.toHaveProperty('authorization');
  });

  it('set times, in any letter case, and ignore options of other clients', () => {
    const text = 'esdb://node.example.org?TLS=False&keepAliveInterval=20000&keep_alive_timeout=-1&gossipTimeout=2&nodePreference=leader';
    expect(parseConnectionString(text)).toMatchObject({
      session: { keepAliveMs: 20_000, keepAliveTimeoutMs: 2 ** 31 - 1 },
      gossipTimeoutMs: 2_000,
    });
    expect(parseConnectionString('esdb://node.example.org').session).toMatchObject({ secure: {}, keepAliveMs: 10_000 });
  });

  it.each([
    ['0', -1],
    ['-1', -1],
    ['1', 1],
    ['99999999999', 2 ** 31 - 1],
  ])('keep connections alive every %s ms', (interval, keepAliveMs) => {
    expect(parseConnectionString(`esdb://node?keepAliveInterval=${interval}`).session).toMatchObject({ keepAliveMs });
  });

  it('wait for an answer to a ping without end where no time limit is set', () => {
    expect(parseConnectionString('esdb://node?keepAliveTimeout=0').session).toMatchObject({ keepAliveTimeoutMs: 2 ** 31 - 1 });
  });

  it.each([
    ['keepAliveInterval=long', 'keepAliveInterval of the connection string is no whole number'],
    ['keepAliveInterval=', 'keepAliveInterval of the connection string is no whole number'],
    ['keepAliveInterval=0.5', 'keepAliveInterval of the connection string is no whole number'],
    ['keepAliveInterval=-2', 'keepAliveInterval of the connection string must be a number of milliseconds, or -1 for none'],
    ['keepAliveTimeout=-2', 'keepAliveTimeout of the connection string must be a number of milliseconds, or -1 for none'],
    ['gossipTimeout=0', 'gossipTimeout of the connection string must be a number of seconds from 1'],
  ])('say which option is wrong: %s', (option, message) => {
    expect(() => parseConnectionString(`esdb://a:secret@node?${option}`)).toThrow(
      new MalformedConnectionString(`EventStoreDB: ${message}`),
    );
  });

  it.each([
    'http://node.example.org',
    'esdb://',
    'esdb://a:secret@',
    'esdb://a:secret@?',
    'esdb://a:secret@node:port',
    'esdb://a:secret%@node',
    'esdb://a:secret@one,,two',
  ])('that are malformed are refused without showing them: %s', (text) => {
    expect(() => parseConnectionString(text)).toThrow(/^EventStoreDB: malformed connection string$/);
  });

  it('say which certificates are wrong', () => {
    expect(() => parseConnectionString('esdb://a:secret@node?tlsCAFile=/nowhere/ca.crt')).toThrow(
      /^EventStoreDB: the certificates of tlsCAFile cannot be used: ENOENT: [^@]*$/,
    );
    expect(() => parseConnectionString(`esdb://a:secret@node?tls_ca_file=${encodeURIComponent(fileURLToPath(import.meta.url))}`)).toThrow(
      /^EventStoreDB: the certificates of tlsCAFile cannot be used: there is no certificate in [^@]*$/,
    );
    expect(() => parseConnectionString('esdb://node?userCertFile=/dev/null')).toThrow('belong together');
  });
});
