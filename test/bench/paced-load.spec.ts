import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CONNECTIONS, type LoadRequest } from './load.js';
import { PacedLoad } from './paced-load.js';

const server = createServer((request, answer) => {
  answer.statusCode = request.url === '/wrong' ? 500 : 200;
  answer.setHeader('late', '1');
  answer.end(request.url);
});

const urlOf = async (): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const get = (path: string, more: Partial<LoadRequest> = {}): LoadRequest => ({ method: 'GET', path, ...more });

describe('load at a rate', () => {
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  it('ends after as many requests as it was given, each connection with its own, one after another', async () => {
    const seen: string[][] = Array.from({ length: CONNECTIONS }, () => []);
    const accepting = (connection: number) => ({
      accepts: (body: string) => {
        seen[connection]?.push(body);
        return true;
      },
    });
    const requestsOf = (connection: number) => ['/a', '/b'].map((path) => get(path, accepting(connection)));
    const load = new PacedLoad(await urlOf(), requestsOf, { calls: 1_000, perSecond: 10_000 });
    await load.done();
    expect(load.take()).toMatchObject({ calls: 1_000, late: 0, failures: [] });
    expect(load.take().calls).toBe(0);
    expect(seen.flat()).toHaveLength(1_000);
    expect(seen.every((bodies) => bodies.every((body, index) => body === (index % 2 === 0 ? '/a' : '/b')))).toBe(true);
  });

  it('shows answers that are not as they must be, and counts late ones', async () => {
    const requests = [get('/wrong'), get('/a', { lateHeader: 'late' }), get('/b', { accepts: () => false })];
    const load = new PacedLoad(await urlOf(), (connection) => requests.slice(connection % 3, (connection % 3) + 1), { calls: CONNECTIONS });
    await load.done();
    const { late, failures } = load.take();
    expect(late).toBe(21);
    expect(new Set(failures)).toEqual(new Set(['GET /wrong: 500 /wrong', 'GET /b: /b']));
  });
});
