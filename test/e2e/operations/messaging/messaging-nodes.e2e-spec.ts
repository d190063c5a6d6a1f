import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { deliveriesOf, idsOf, textOf } from '#test/e2e/messaging/deliveries/deliveries.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { issueKey, servingAlone } from '#test/e2e/serving.js';
import { distributed, oneMoreNode } from '#test/support/deployments.js';
import { eventually, untilReady } from '#test/support/eventually.js';
import { type LogbookProcess, runLogbook, startLogbook } from '#test/support/processes/logbook-process.js';
import { httpClient } from '#test/support/status-client.js';

const LETTERS = 150;
const ATTEMPTS = 5;

type Redriven = Readonly<{ redriven: number; kept: number; next: string | null }>;
type Page = Readonly<{ items: readonly Readonly<{ id: string }>[]; next: string | null; total: object }>;

describe('pages of the messaging service on two nodes', () => {
  const scene = servingAlone(distributed, WITH_TOKEN);
  let other: LogbookProcess;
  let key: string;
  let p: ProjectCalls;
  const begin = async (): Promise<void> => {
    other = await startLogbook({ ...(await oneMoreNode(scene.deployment)), ...WITH_TOKEN, LOGBOOK_HISTORY: 'off' });
    await untilReady(httpClient(other.url));
    await eventually(() => there.get('/p')).until(({ status }) => status === 200);
  };
  beforeAll(async () => {
    ({ key } = await issueKey(scene.root, 'ops', 'operator'));
    p = await createProject(scene, 'p');
    await p.topic('lost');
    await begin();
  });
  afterAll(() => other?.stop());

  /** `/ops/messaging` of a node. */
  const nodeOf = (url: () => string) => ({
    get: (path: string) => httpClient(url()).get(`/ops/messaging${path}`, { key }),
    redrive: (name: string, body: object = {}) =>
      httpClient(url()).post(`/ops/messaging/p/subscriptions/${name}/dead-letters/redrive`, { key, body }),
  });
  const here = nodeOf(() => scene.server.url);
  const there = nodeOf(() => other.url);
  type Node = typeof here;
  const { publish } = trafficOf(() => p);
  const { share, take, extend } = deliveriesOf(() => p);

  const lettersOf = async (node: Node, name: string, query = ''): Promise<Page> => {
    const { status, json } = await node.get(`/p/subscriptions/${name}/dead-letters${query}`);
    expect(status).toBe(200);
    return json as Page;
  };
  const total = async (node: Node, name: string) => (await lettersOf(node, name)).total;
  const untilThere = async (name: string, count: number): Promise<void> => {
    for (const node of [here, there])
      await eventually(() => total(node, name)).until((found) => (found as { count: number }).count === count);
  };
  /** A subscription that this node serves, all of whose messages were given back until they were dead letters. */
  const bury = async (name: string, messages: readonly string[]): Promise<void> => {
    const deadLetterPolicy = { deadLetterTopic: 'projects/p/topics/lost', maxDeliveryAttempts: ATTEMPTS };
    await share(name, { deadLetterPolicy, retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' }, ackDeadlineSeconds: 600 });
    await publish(name, texts(...messages));
    for (let attempts = 0; attempts < ATTEMPTS * messages.length; ) {
      const delivered = await take(name, { maxMessages: '1000' });
      attempts += delivered.length;
      if (delivered.length > 0) expect((await extend(name, idsOf(delivered), 0)).status).toBe(200);
    }
    await untilThere(name, messages.length);
  };
  /** Calls until all are sent, as consoles do. */
  const redriveAll = async (node: Node, name: string): Promise<number> => {
    let redriven = 0;
    for (let after: string | null | undefined; after !== null; ) {
      const { status, json, text } = await node.redrive(name, { after });
      expect([status, text]).toEqual([200, expect.any(String)]);
      const answer = json as Redriven;
      redriven += answer.redriven;
      after = answer.next;
    }
    return redriven;
  };
  /** All that can be delivered: each message once, whoever sent it back. */
  const expectOnce = async (name: string, messages: readonly string[]): Promise<void> => {
    const received: string[] = [];
    await eventually(async () => received.push(...(await take(name, { maxMessages: '1000' })).map(textOf))).until(
      (count) => count >= messages.length,
    );
    expect(await take(name, { maxMessages: '1000' })).toEqual([]);
    expect(received.sort()).toEqual([...messages].sort());
  };
  const named = (name: string) => Array.from({ length: LETTERS }, (_, index) => `${name} ${index}`);

  it('say the same on both nodes, but for what only the node that holds the leases knows', async () => {
    await share('aged');
    await publish('aged', texts('a', 'b', 'c'));
    await take('aged', { maxMessages: '1' });
    const stateOf = async (node: Node) => (await node.get('/p/subscriptions/aged')).json;
    const [youngest, ...older] = [3, 0, 0, 0, 0].map((messages) => ({ messages, exact: true }));
    await eventually(() => stateOf(here)).until((json) => (json as { outstanding: number }).outstanding === 1);
    expect(await stateOf(here)).toMatchObject({ backlog: [youngest, ...older], outstanding: 1, consumers: { waiting: 0 } });
    await eventually(() => stateOf(there)).until((json) => (json as { outstanding: null }).outstanding === null);
    expect(await stateOf(there)).toMatchObject({
      backlog: [{ ...youngest, exact: false }, ...older],
      outstanding: null,
      consumers: { streams: 0, waiting: null },
      deadLettersKept: null,
    });
    const rowOf = (node: Node) =>
      eventually(async () => ((await node.get('/p')).json as { subscriptions: object[] }).subscriptions[0]).until(
        (row) => row !== undefined, // answers are shared for half a second
      );
    expect(await rowOf(here)).toMatchObject({ name: 'aged', backlog: 3, exact: false, outstanding: 1 });
    expect(await rowOf(there)).toMatchObject({ name: 'aged', backlog: 3, exact: false, outstanding: null });
  });

  it('list dead letters alike, and redrive them through the node that holds no lease: they are gone from both, and delivered', async () => {
    const messages = named('through');
    await bury('through', messages);
    const [first, second] = [await lettersOf(here, 'through'), await lettersOf(there, 'through')];
    expect(second).toEqual(first);
    expect(first).toMatchObject({ total: { count: LETTERS, exact: true }, next: expect.any(String) });
    const ids = first.items.map(({ id }) => id);
    expect((await lettersOf(there, 'through', `?after=${first.next}`)).items).toHaveLength(LETTERS - 100);
    expect((await there.redrive('through', { messages: ids.slice(0, 3) })).json).toEqual({ redriven: 3, kept: 0, next: null });
    expect((await lettersOf(there, 'through')).items.slice(0, 97).map(({ id }) => id)).toEqual(ids.slice(3));
    await untilThere('through', LETTERS - 3);
    const logbook = (...more: readonly string[]) =>
      runLogbook(['messaging', 'dead-letters', 'p', 'through', ...more], { LOGBOOK_URL: other.url, LOGBOOK_OPS_KEY: key });
    expect(JSON.parse((await logbook('--json')).stdout)).toEqual(await lettersOf(there, 'through'));
    expect((await logbook()).stderr).toMatch(/^100 of 147 are shown, there are more: --after \d+\n$/);
    const many = Array.from({ length: 1_200 }, (_, offset) => `${offset}`); // more than one call takes
    expect(await logbook('redrive', ...many)).toMatchObject({ code: 0, stdout: `redriven: ${LETTERS - 3}\n` });
    await untilThere('through', 0);
    await expectOnce('through', messages);
  });

  it('redrive each dead letter once where both nodes are asked at the same time', async () => {
    const messages = named('both');
    await bury('both', messages);
    const counts = await Promise.all([here, there, here, there].map((node) => redriveAll(node, 'both')));
    expect(counts.reduce((sum, count) => sum + count)).toBe(LETTERS);
    await untilThere('both', 0);
    await expectOnce('both', messages);
  });

  it.each(['stop', 'kill'] as const)('lose no dead letter and send none twice where the node %ss that redrives them', async (ending) => {
    const messages = named(ending);
    await bury(ending, messages);
    const cutOff = redriveAll(there, ending).catch(() => undefined);
    await eventually(async () => (await here.get(`/p/topics/${ending}`)).json as { messages: number }).until(
      ({ messages }) => messages > LETTERS,
    );
    const code = await other[ending]();
    await cutOff;
    if (ending === 'stop') expect(code).toBe(0);
    await redriveAll(here, ending);
    expect(await total(here, ending)).toEqual({ count: 0, exact: true });
    await expectOnce(ending, messages);
    await begin();
  });
});
