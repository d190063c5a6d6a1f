import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { Cleanup } from '#test/support/cleanup.js';
import { eventually } from '#test/support/eventually.js';
import { rawConnection } from '#test/support/raw-connection.js';
import { inOrder } from './in-order.js';

const cleanup = new Cleanup();
afterEach(() => cleanup.run());

/** A server that notes which requests began. `answer` ends the oldest that waits for its answer. */
const serving = async () => {
  const app = fastify();
  cleanup.defer(() => app.close());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => payload.resume().once('end', () => done(null)));
  app.addHook('onRequest', (request, reply, done) => inOrder(request, reply, done));
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  app.get('/barrier', (_request, reply) => reply.send());
  app.route({
    method: ['GET', 'PUT'],
    url: '/:name',
    handler: (request, reply) => {
      begun.push(`${request.method} ${(request.params as { name: string }).name}`);
      ends.push(() => void reply.send(`answer ${begun.length}`));
    },
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, begun, answer: () => ends.shift()?.() };
};

const get = (name: string): string => `GET /${name} HTTP/1.1\r\nhost: x\r\n\r\n`;
const put = (name: string): string => `PUT /${name} HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody`;

/** Requests that begin before any answer, then after each answer. */
const beginnings = async (requests: readonly string[]): Promise<readonly number[]> => {
  const { url, begun, answer } = await serving();
  const connection = await rawConnection(url);
  cleanup.defer(() => connection.close());
  const counts: number[] = [];
  await connection.send(requests.join(''));
  for (let answered = 0; answered < requests.length; answered++) {
    if (answered > 0) {
      answer();
      await eventually(async () => connection.text().split('HTTP/1.1 200').length - 1).until((count) => count >= answered);
    }
    await fetch(`${url}/barrier`); // the server has seen everything sent before
    counts.push(begun.length);
  }
  return counts;
};

describe('Requests that follow on one connection before the answer to the first', () => {
  it.each([
    ['write', [put('a'), put('b'), put('c')]],
    ['read', [get('a'), get('b'), get('c')]],
    ['do both', [put('a'), get('b'), put('c')]],
  ] as const)('begin one after another if they %s', async (_title, requests) => {
    expect(await beginnings(requests)).toEqual([1, 2, 3]);
  });

  it('are at most 100 that wait: a client that sends more is disconnected', async () => {
    const { url, begun, answer } = await serving();
    const [patient, other] = [await rawConnection(url), await rawConnection(url)];
    cleanup.defer(() => patient.close());
    await patient.send(put('a') + get('b').repeat(100));
    await other.send(put('a') + get('b').repeat(101));
    expect(await other.ended).toBe('');
    for (let answered = 0; answered < 102; answered++) {
      await eventually(async () => begun.length).until((count) => count > answered);
      answer();
    }
    await eventually(async () => patient.text().split('HTTP/1.1 200').length - 1).until((count) => count === 101);
  });

  it('never begin if the connection ends before', async () => {
    const { url, begun, answer } = await serving();
    const connection = await rawConnection(url);
    await connection.send(put('a') + put('b'));
    await eventually(async () => begun.length).until((count) => count === 1);
    connection.close();
    const other = await rawConnection(url);
    cleanup.defer(() => other.close());
    await other.send(put('c'));
    await eventually(async () => begun.length).until((count) => count === 2);
    answer();
    answer();
    await other.until('HTTP/1.1 200');
    expect(begun).toEqual(['PUT a', 'PUT c']);
  });
});
