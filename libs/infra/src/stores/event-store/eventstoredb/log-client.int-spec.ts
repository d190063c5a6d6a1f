import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { newEvents } from '#test/contracts/event-store/fixture.js';
import { openStore, startServer } from '#test/support/eventstoredb/store-lab.js';
import { CallFailed } from './grpc/call.js';
import { parseConnectionString } from './grpc/connection-string.js';
import type { LogClient, ReadRequest } from './log-client.js';
import type { ReadMessage } from './messages/records.js';
import { NativeClient } from './native/native-client.js';
import { officialClients } from './official/official-client.js';
import { openVendorClient } from './official/vendor-client.js';

describe.each([NativeClient.name, 'OfficialClient'])('reads of a %s', (name) => {
  const open = (connectionString: string): LogClient => {
    const settings = parseConnectionString(connectionString);
    return name === 'OfficialClient' ? officialClients(settings)(undefined, () => {}) : new NativeClient(settings, undefined, () => {});
  };

  it.each<readonly [string, ReadRequest]>([
    ['a stream', { of: 'stream', stream: 'test.cut-1', from: undefined, direction: 'forwards', count: 10 }],
    ['the log', { of: 'all', from: 0n, streamNames: '^test', count: 10 }],
    ['its head', { of: 'head' }],
  ])('of %s fail when the connection is given up under them: they are not complete', async (_, request) => {
    const server = await startServer();
    await openStore(server).append('test.cut-1', newEvents(2), 'no-stream');
    const client = open(server.connectionString);
    await new Promise<void>((resolve) => client.read({ of: 'head' }, { message: () => {}, ended: () => resolve() }));
    server.freeze();
    const ending = new Promise<unknown>((resolve) => {
      const begun = client.read(request, { message: () => {}, ended: resolve }).then(() => nextTurn()); // the request has been sent
      begun.then(() => client.end(), resolve);
    });
    expect(await ending).toBeInstanceOf(CallFailed);
    server.thaw();
  });

  it('of the last event of a stream tell its revision, the native ones also when it cannot be read any more', async () => {
    const server = await startServer();
    const store = openStore(server);
    await store.append('test.whole-1', newEvents(3), 'no-stream');
    await store.append('test.truncated-1', newEvents(3), 'no-stream');
    await store.truncate('test.truncated-1', 3n);
    await store.append('test.expired-1', newEvents(3), 'no-stream');
    await store.setRetention('test.expired-1', { maxAgeSeconds: 1 });
    await store.setRetention('test.missing-1', { maxAgeSeconds: 1 });
    while ((await store.readStream('test.expired-1', { limit: 1 })).length > 0) await nextTurn();
    const client = open(server.connectionString);
    const lastOf = async (stream: string) => {
      const found: unknown[] = [];
      const message = ({ event, last }: ReadMessage) => found.push(last ?? event?.revision);
      await new Promise<unknown>((ended) => client.read({ of: 'last', stream }, { message, ended }));
      return found.at(-1);
    };
    const streams = ['whole', 'truncated', 'expired', 'missing'].map((each) => lastOf(`test.${each}-1`));
    const hidden = name === 'OfficialClient' ? undefined : 2n;
    expect(await Promise.all(streams)).toEqual([2n, hidden, hidden, 'no-stream']);
    await client.end();
  });

  it('accept no compressed answers, like its appends: a newer server would compress each event', async () => {
    const accepted = new Map<string, unknown>();
    const server = createServer().on('stream', (stream, headers) => {
      accepted.set(`${headers[':path']}`.replace(/.*[.]/, ''), headers['grpc-accept-encoding'] ?? 'identity');
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' }, { endStream: true });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = open(`esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`);
    await new Promise<unknown>((ended) => client.read({ of: 'head' }, { message: () => {}, ended }));
    await client.append('test.any-1', [], 'no-stream', 5_000).catch(() => {});
    expect(Object.fromEntries(accepted)).toEqual({ 'Streams/Read': 'identity', 'Streams/BatchAppend': 'identity' });
    await client.end(); // although the server has ended the call of the appends by itself
    server.close();
  });
});

it('calls of the official client are ended once, although each append without an answer gives it up', async () => {
  const { connectionString } = await startServer();
  const client = await openVendorClient(parseConnectionString(connectionString), undefined, () => {});
  const dispose = jest.spyOn(client, 'dispose');
  await Promise.all([client.close(), client.close()]);
  expect(dispose).toHaveBeenCalledTimes(1);
});
