import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { base64, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { deployments } from '#test/support/deployments.js';

const message = (text: string, keys: object = {}) => ({ data: base64(text), ...keys });

describe.each(deployments)('keys of messages, on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, offsets } = trafficOf(() => p);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });

  it('show the ordering key as it was published, and only where there is one', async () => {
    await prepare('ordered');
    const keys = ['a', 'é"\\\n😀', 'k'.repeat(1_024)];
    await publish('ordered', [
      message('none'),
      message('empty', { orderingKey: '' }),
      ...keys.map((key) => message('x', { orderingKey: key })),
    ]);
    const received = await pull('ordered');
    expect(received.map(({ message: { data: _, publishTime: _t, messageId: _id, ...others } }) => others)).toEqual([
      {},
      {},
      ...keys.map((orderingKey) => ({ orderingKey })),
    ]);
    expect(Object.keys(received[2]?.message ?? {})).toEqual(['messageId', 'data', 'publishTime', 'orderingKey']);
  });

  it.each([
    { orderingKey: 'k'.repeat(1_025) },
    { orderingKey: 'é'.repeat(513) },
    { orderingKey: 5 },
    { deduplicationId: 'k'.repeat(129) },
    { deduplicationId: '😀'.repeat(33) },
    { deduplicationId: {} },
  ])('are refused where they are too long or no texts: %j', async (keys) => {
    await p.topic('refusing');
    const body = { messages: [message('good'), message('bad', keys)] };
    expectError(await p.post('/topics/refusing:publish', body), 'INVALID_ARGUMENT: Invalid Message Arguments');
    await p.subscription('refusing', 'refusing');
    expect(await offsets('refusing')).toMatchObject({ max: 0 });
    await p.delete('/subscriptions/refusing');
    await p.delete('/topics/refusing');
  });

  it('are no content of their own', async () => {
    await p.topic('empty');
    const publishing = p.post('/topics/empty:publish', { messages: [{ orderingKey: 'a', deduplicationId: 'b' }] });
    expectError(await publishing, 'INVALID_ARGUMENT: Invalid Message Arguments');
  });

  it('keep a message from being stored twice, in one call, in several at once, and after a restart', async () => {
    await prepare('once');
    const id = (deduplicationId: string) => message(deduplicationId, { deduplicationId });
    expect(await publish('once', [id('a'), message('plain'), id('b'), id('a')])).toEqual(['0', '1', '2', '0']);
    expect(await publish('once', [id('b'), id('c'), message('plain')])).toEqual(['2', '3', '4']);
    expect(await publish('once', [id('a'), id('c')])).toEqual(['0', '3']);
    const racing = await Promise.all(Array.from({ length: 20 }, () => publish('once', [id('race'), message('filler')])));
    expect(new Set(racing.map(([first]) => first)).size).toBe(1);
    expect(await scene.restart()).toBe(0);
    expect(await publish('once', [id('a'), id('race')])).toEqual(['0', racing[0]?.[0]]);
    expect(await publish('once', [id('a'), id('d')])).toEqual(['0', String((await offsets('once')).max - 1)]);
    const texts = await pullTexts('once');
    expect(['a', 'b', 'c', 'd', 'race'].map((text) => texts.filter((other) => other === text).length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('keep many messages from being stored twice, whatever their ids look like', async () => {
    await prepare('many');
    const odd = ['/', '%', '..', ' ', '\u0000', '😀'.repeat(32), '__proto__', 'A', 'a'];
    const messages = [...odd, ...Array.from({ length: 2_500 }, (_, index) => `id${index}`)].map((deduplicationId) =>
      message('x', { deduplicationId }),
    );
    const first = await publish('many', messages);
    expect(new Set(first).size).toBe(messages.length);
    expect(await publish('many', messages)).toEqual(first);
    expect(await publish('many', [...messages.slice(0, 20), message('y', { deduplicationId: 'new' })])).toEqual([
      ...first.slice(0, 20),
      `${messages.length}`,
    ]);
    expect(await offsets('many')).toMatchObject({ max: messages.length + 1 });
  });

  it('are those of one topic', async () => {
    for (const name of ['mine', 'yours']) await prepare(name);
    for (const name of ['mine', 'yours']) expect(await publish(name, [message('x', { deduplicationId: 'same' })])).toEqual(['0']);
  });
});
