import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, j3, type ProjectCalls, SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import { base64, type Received } from '#test/e2e/messaging/traffic/traffic.js';
import { type Serving, serving, servingAlone } from '#test/e2e/serving.js';
import { deployments, embedded } from '#test/support/deployments.js';
import { watchNeighbour } from '#test/support/neighbours/neighbour.js';

const MIB = 1024 * 1024;

/** Large calls and many of them, and what others see meanwhile. */
describe('Messaging under load', () => {
  const scene: Serving = servingAlone(embedded);
  let p: ProjectCalls;

  const judged = async (name: string, schema: object): Promise<void> => {
    expect((await p.post(`/schemas/${name}`, { type: 'json', schema })).status).toBe(200);
    await p.topic(name, `projects/p/schemas/${name}`);
  };
  const message = (error: unknown): string => (error as { error: { message: string } }).error.message;

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await createProject(scene, 'quiet');
  });

  it('validates a message for as long as that takes, while other calls are answered', async () => {
    await judged('pattern', { properties: { text: { pattern: '(a?){900}(a{0,900}){9}b$' } } });
    const { url, pid } = scene.server;
    const neighbour = await watchNeighbour({ url, pid, path: '/v1/projects/quiet', key: SERVICE_TOKEN });
    const data = base64(JSON.stringify({ text: 'a'.repeat(5 * MIB) }));
    const answer = await p.post('/topics/pattern:publish', { messages: [{ data: base64('{}') }, { data }] });
    const { calls } = await neighbour.stop();
    expect([answer.status, message(answer.json)]).toEqual([
      400,
      'Message 1 data is not valid,(root): Checking it against the schema takes too many steps',
    ]);
    expect(calls).toBeGreaterThan(10);
    expect((await p.post('/topics/pattern:publish', { messages: [{ data: base64('{"text":"aab"}') }] })).status).toBe(200);
  });

  it('compiles large schemas, and refuses those that are shown with too many characters', async () => {
    const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: 'integer', minimum: index }]));
    await judged('large', { properties, required: ['p7'] });
    const publish = (json: object) => p.post('/topics/large:publish', { messages: [{ data: base64(JSON.stringify(json)) }] });
    expect((await publish({ p7: 7 })).status).toBe(200);
    expect(message((await publish({ p7: 6 })).json)).toBe('Message 0 data is not valid,p7: Must be greater than or equal to 7');
    let deep: object = { enum: Array.from({ length: 5_000 }, (_, index) => index) };
    for (let level = 0; level < 900; level++) deep = { not: deep };
    expect(message((await p.post('/schemas/deep', { type: 'json', schema: deep })).json)).toBe(
      'schema is shown with more than 4,194,304 characters',
    );
  });

  it('delivers and acknowledges a large batch as a whole', async () => {
    await p.topic('large-batch');
    await p.subscription('large-batch', 'large-batch');
    const data = 'A'.repeat(100_000);
    for (let call = 0; call < 3; call++)
      expect((await p.post('/topics/large-batch:publish', { messages: Array(60).fill({ data, attributes: { é: '<😀>' } }) })).status).toBe(
        200,
      );
    const pull = () => p.post('/subscriptions/large-batch:pull', { maxMessages: 10_000 });
    const answer = await pull();
    const { receivedMessages } = answer.json as { receivedMessages: readonly Received[] };
    expect(answer.headers.get('content-length')).toBe(`${Buffer.byteLength(answer.text)}`);
    expect(receivedMessages.map(({ message: { messageId } }) => Number(messageId))).toEqual(receivedMessages.map((_, index) => index));
    expect(receivedMessages.at(-1)?.message).toMatchObject({ data, attributes: { é: '<😀>' } });
    expect(Buffer.byteLength(answer.text)).toBeGreaterThan(15 * MIB);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(18 * MIB);
    expect((await p.post('/subscriptions/large-batch:acknowledge', { ackIds: receivedMessages.map(({ ackId }) => ackId) })).status).toBe(
      200,
    );
    const rest = (await pull()).json as { receivedMessages: readonly Received[] };
    expect(rest.receivedMessages).toHaveLength(180 - receivedMessages.length);
  });

  it('wakes every pull that waits for a message, also on one subscription', async () => {
    await p.topic('awaited');
    await p.subscription('awaited', 'awaited');
    const waiting = Array.from({ length: 400 }, () =>
      p.post('/subscriptions/awaited:pull', { maxMessages: '1', returnImmediately: 'false' }),
    );
    await p.post('/topics/awaited:publish', { messages: [{ data: base64('now') }] });
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status, text }) => [status, text.includes('"messageId":"0"')])).toEqual(Array(400).fill([200, true]));
  });
});

describe.each(deployments)('long lists on %s', (_stores, open) => {
  const scene: Serving = serving(open);

  it('have the same items as their pages, in the same layout', async () => {
    const p = await createProject(scene, 'p');
    const names = Array.from({ length: 520 }, (_, index) => `t${index}`);
    for (let at = 0; at < names.length; at += 40) await Promise.all(names.slice(at, at + 40).map((name) => p.topic(name)));
    const whole = await p.get('/topics');
    const list = whole.json as { topics: readonly Readonly<{ name: string }>[]; nextPageToken: string; totalSize: number };
    expect(whole.text).toBe(j3(list));
    expect(list).toMatchObject({ nextPageToken: '', totalSize: 520 });
    expect(new Set(list.topics.map(({ name }) => name)).size).toBe(520);
    const paged: object[] = [];
    for (let token = '', asked = 0; asked < 3; asked++) {
      const page = (await p.get(`/topics?pageSize=200&pageToken=${encodeURIComponent(token)}`)).json as typeof list;
      paged.push(...page.topics);
      token = page.nextPageToken;
    }
    expect(paged).toEqual(list.topics);
    const part = (await p.get('/topics?pageSize=300')).json as typeof list;
    expect([part.topics, part.nextPageToken === '']).toEqual([list.topics.slice(0, 300), false]);
  });
});
