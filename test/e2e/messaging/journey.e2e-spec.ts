import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ackId, texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { distributed, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import { type Answer, httpClient } from '#test/support/status-client.js';
import { isFullRun } from '#test/support/test-runs.js';
import { createProject, type ProjectCalls, SERVICE_TOKEN, WITH_TOKEN } from './calls.js';

const onRedis = ['Redis and the EventStoreDB client', () => distributed()] as const;
const withOfficialClient = ['Redis and the official client of EventStoreDB', () => distributed('official')] as const;

/** A refused body is not read for longer than its client is silent for some seconds: then it sees the end of the connection, not the answer. */
const unlessCutOff = (error: NodeJS.ErrnoException): Answer => {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
  return { status: 503, headers: new Headers(), text: '', json: undefined };
};

/** Repeats a call that busy stores refuse for now. A publish has a key, so that its messages are there once. */
const patiently = (verb: string, post: (headers: Readonly<Record<string, string>>) => Promise<Answer>): Promise<Answer> => {
  const headers: Readonly<Record<string, string>> = verb.endsWith(':publish') ? { 'idempotency-key': randomUUID() } : {};
  return eventually(() => post(headers).catch(unlessCutOff)).until(({ status }) => status !== 503);
};

describe.each(isFullRun ? [onRedis, withOfficialClient] : [onRedis])('messages between two servers: %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let second: LogbookProcess;
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, acknowledge, offsets, modifyOffset } = trafficOf(() => p);
  const elsewhere = (verb: string, body: object) =>
    patiently(verb, (headers) => httpClient(second.url).post(`/v1/projects/p/${verb}`, { key: SERVICE_TOKEN, body, headers }));
  beforeAll(async () => {
    second = await startLogbook({ ...(await oneMoreNode(scene.deployment)), ...WITH_TOKEN });
    const project = await createProject(scene, 'p');
    p = { ...project, post: (verb, body, own) => patiently(verb, (headers) => project.post(verb, body, { ...headers, ...own })) };
    await prepare('t');
    await eventually(() => elsewhere('subscriptions/t:pull', {})).until(({ status }) => status === 200);
  });
  afterAll(() => second?.stop());

  it('wake the pulls that wait at the other one', async () => {
    const waiting = elsewhere('subscriptions/t:pull', { returnImmediately: 'false', maxMessages: '2' });
    await publish('t', texts('a', 'b'));
    expect((await waiting).json).toMatchObject({ receivedMessages: [{ ackId: ackId('t', 0) }, { ackId: ackId('t', 1) }] });
    expect((await acknowledge('t', 1)).status).toBe(200);
    expect(await pullTexts('t')).toEqual([]);
  });

  it('get their own ids, wherever they are published', async () => {
    await prepare('ids');
    await eventually(() => elsewhere('topics/ids:publish', { messages: texts('0') })).until(({ status }) => status === 200);
    const calls = Array.from({ length: 20 }, async (_, call) => {
      const messages = texts(`${call}.a`, `${call}.b`);
      if (call % 2) return publish('ids', messages);
      return ((await elsewhere('topics/ids:publish', { messages })).json as { messageIds: readonly string[] }).messageIds;
    });
    const ids = (await Promise.all(calls)).flat().map(Number);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    await eventually(() => offsets('ids')).until(({ max }) => max === 41);
  });

  it('are all there or none, however large or many they are', async () => {
    await prepare('large');
    const largest = { data: 'A'.repeat(10 * 1024 * 1024), attributes: { size: 'largest' } };
    expect(await publish('large', [largest, ...texts('small'), largest])).toEqual(['0', '1', '2']);
    const count = isFullRun ? 1_500 : 200;
    const many = Array.from({ length: count }, (_, index) => ({ data: Buffer.alloc(1_024, `${index}.`).toString('base64') }));
    expect((await publish('large', many)).at(-1)).toBe(`${count + 2}`);
    const [first] = await pull('large', {});
    expect(first?.message).toMatchObject(largest);
    await modifyOffset('large', 1);
    expect((await pull('large', { maxMessages: '2' })).map(({ message }) => message.data.length)).toEqual([8, largest.data.length]);
    await modifyOffset('large', 3);
    const received = await pull('large', { maxMessages: `${count}` });
    expect(received.map(({ message }) => message.data)).toEqual(many.map(({ data }) => data));
    expect(await offsets('large')).toEqual({ max: count + 3, min: 0, current: 3 });
  });

  it('are published, delivered and acknowledged once under an idempotency key, also after a restart', async () => {
    await prepare('keyed');
    const keyed = async (verb: string, body: object) => (await p.post(verb, body, { 'idempotency-key': 'k' })).text;
    const published = await keyed('/topics/keyed:publish', { messages: texts('a', 'b') });
    const pulled = await keyed('/subscriptions/keyed:pull', { maxMessages: '1' });
    expect(await keyed('/subscriptions/keyed:acknowledge', { ackIds: [ackId('keyed', 0)] })).toBe('{}');
    for (let change = 0; change < 40; change++) await modifyOffset('keyed', change % 2);
    await scene.restart();
    await untilReady(scene.root);
    expect(await keyed('/topics/keyed:publish', { messages: texts('a', 'b') })).toBe(published);
    expect(await keyed('/subscriptions/keyed:pull', { maxMessages: '1' })).toBe(pulled);
    expect(await keyed('/subscriptions/keyed:acknowledge', { ackIds: [ackId('keyed', 0)] })).toBe('{}');
    expect(await offsets('keyed')).toEqual({ max: 2, min: 0, current: 1 });
  });
});
