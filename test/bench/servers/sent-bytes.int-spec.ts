import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { countSentBytes } from './sent-bytes.js';

const BODY = 'x'.repeat(100_000);

describe('bytes that a server sends', () => {
  it('count while a connection is open and after it', async () => {
    const sentBytes = countSentBytes();
    const server = createServer((_request, response) => response.end(BODY)).listen(0);
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    const get = async (connection: string): Promise<void> => void (await (await fetch(url, { headers: { connection } })).text());
    expect(sentBytes()).toBe(0);
    await get('keep-alive');
    const [least, most] = [BODY.length, BODY.length + 1_000]; // with the head
    expect(sentBytes()).toBeGreaterThan(least);
    expect(sentBytes()).toBeLessThan(most);
    await get('close');
    server.closeAllConnections();
    await once(server.close(), 'close');
    expect(sentBytes()).toBeGreaterThan(2 * least);
    expect(sentBytes()).toBeLessThan(2 * most);
  });
});
