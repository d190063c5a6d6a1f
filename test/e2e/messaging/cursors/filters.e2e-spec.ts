import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectError, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { base64, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { deployments, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

/** Messages whose attribute `n` is their place, and `even` is there for every second one. */
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const n = from + index;
    return { data: base64(`${n}`), attributes: { n: `${n}`, ...(n % 2 === 0 ? { even: '' } : {}) } };
  });

describe.each(deployments)('a subscription with a filter, on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let p: ProjectCalls;
  const { publish, pull, pullTexts, acknowledge, offsets, modifyOffset } = trafficOf(() => p);
  const subscribe = async (name: string, filter: string, topic = name) => {
    const answer = await p.put(`/subscriptions/${name}`, { topic: `projects/p/topics/${topic}`, filter });
    expect([answer.status, (answer.json as { filter?: string }).filter]).toEqual([200, filter]);
  };
  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });

  it('gets what passes, acknowledges over the gaps, and counts what it got', async () => {
    await p.topic('even');
    await subscribe('even', 'attributes:even');
    await publish('even', numbered(10, 1));
    expect(await pullTexts('even', { maxMessages: '3' })).toEqual(['2', '4', '6']);
    expect(await offsets('even')).toEqual({ max: 10, min: 0, current: 1 });
    expectError(await acknowledge('even', 6), 'CONFLICT: wrong ack');
    expect((await acknowledge('even', 3)).status).toBe(200);
    expect(await pullTexts('even', { maxMessages: '100' })).toEqual(['6', '8', '10']);
    expect((await acknowledge('even', 5, 9)).status).toBe(200);
    expect(await offsets('even')).toEqual({ max: 10, min: 0, current: 10 });
    const { metrics } = (await p.get('/subscriptions/even:metrics')).json as {
      metrics: readonly { metric: string; timeseries: readonly { value: number }[] }[];
    };
    expect(metrics.find(({ metric }) => metric === 'subscription.number_of_messages')?.timeseries[0]?.value).toBe(6);
    await modifyOffset('even', 0);
    expect((await pull('even', { maxMessages: '1' })).map(({ ackId }) => ackId)).toEqual(['projects/p/subscriptions/even:1']);
  });

  it('passes over what does not match, for good, also where nothing does', async () => {
    await p.topic('none');
    await subscribe('none', 'attributes.n = "700"');
    await subscribe('all', 'NOT attributes.n = "x"', 'none');
    await publish('none', numbered(500));
    const passing = async () => ((await pullTexts('none')).length === 0 ? offsets('none') : undefined); // a pull may end before it has passed all
    await eventually(passing).until((passed) => passed?.current === 500 && passed.max === 500);
    await publish('none', numbered(500, 500));
    expect(await scene.restart()).toBe(0);
    await eventually(() => pullTexts('none')).until((texts) => texts.join() === '700');
    expect((await acknowledge('none', 700)).status).toBe(200);
    expect(await offsets('none')).toMatchObject({ max: 1_000, current: 1_000 });
    let received = 0;
    while (received < 1_000) {
      const { length } = await pullTexts('all', { maxMessages: '1000' }); // fewer where passing over takes long
      received += length;
      if (length > 0) expect((await acknowledge('all', received - 1)).status).toBe(200);
    }
    expect(await offsets('all')).toMatchObject({ current: 1_000 });
  });

  it('waits for a message that passes', async () => {
    await p.topic('waits');
    await subscribe('waits', 'hasPrefix(attributes.n, "9")');
    const waiting = pullTexts('waits', { maxMessages: '1', returnImmediately: 'false' });
    for (let n = 5; n < 10; n++) await publish('waits', numbered(1, n));
    expect(await waiting).toEqual(['9']);
  });
});

describe('filters', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const { publish, pullTexts, acknowledge } = trafficOf(() => p);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
  });

  it.each([
    ['attributes:', 'a key is expected, not the end, at character 12'],
    ['attributes.a = "b', 'this text is not terminated, at character 16'],
    ['attributes:a AND attributes:b OR attributes:c', '`AND` and `OR` cannot be mixed without parentheses, at character 31'],
    ['<script>', 'unexpected character; values, and keys that are not words, must be quoted, at character 1'],
    ['('.repeat(257), 'a filter has at most 256 characters, at character 257'],
  ])('that cannot be read are refused with their place: %s', async (filter, problem) => {
    const wrong = await p.put('/subscriptions/wrong', { topic: 'none', filter });
    expectError(wrong, `INVALID_ARGUMENT: Invalid filter: ${problem}`);
  });

  it('find few messages among many, pull by pull, each within a second, and remember how far they looked', async () => {
    for (const [name, filter] of [['rare', 'attributes.n = "9999" OR attributes.n = "19998"']] as const)
      await p.put(`/subscriptions/${name}`, { topic: 'projects/p/topics/t', filter });
    for (let part = 0; part < 4; part++) await publish('t', numbered(5_000, part * 5_000));
    const found = await eventually(() => pullTexts('rare')).until((texts) => texts.length === 2);
    expect(found).toEqual(['9999', '19998']);
    expect(await pullTexts('rare', { maxMessages: '2' })).toEqual(found);
    expect((await acknowledge('rare', 9_999)).status).toBe(200);
    expect(await pullTexts('rare')).toEqual(['19998']);
  });

  it('let messages pass that are young enough, and no others', async () => {
    await p.put('/subscriptions/young', { topic: 'projects/p/topics/t', messageRetentionDuration: '600s' });
    await publish('t', numbered(3));
    expect(await pullTexts('young')).toEqual(['0', '1', '2']);
  });
});
