import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PushConfiguration } from '#domain/messaging/push/push-configuration.js';
import { workCondition } from '#infra/platform/coordination/work-lease.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { ReadModelsUnavailable, type ReadStore } from '#projections/shared/read-store.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { LONGEST_MS, until } from '#test/support/eventually.js';
import { pushSample } from '#test/support/messaging/push-sample.js';
import { ChangeCounter } from './change-counter.js';
import { PUSH_LEASE, PushEngine } from './push-engine.js';
import type { PushBatch, PushTarget } from './worker.js';

const timing = { beatMs: 40, graceMs: LONGEST_MS, silenceMs: LONGEST_MS };
const push: PushConfiguration = { ...pushSample, verified: true, retryPolicy: { type: 'linear', period: 1 } };
const target = (id: string, pushEndpoint = push.pushEndpoint): PushTarget => ({
  projectId: 'p',
  subscriptionId: id,
  push: { ...push, pushEndpoint },
});

describe('the push engine', () => {
  let directory = temporaryDirectory();
  let store: ReadStore;
  const engines: PushEngine[] = [];
  /** State shared by all nodes: subscriptions with endless messages, and the deliveries received. */
  let targets: readonly PushTarget[] = [];
  let offsets: Record<string, number> = {};
  let sent: string[] = [];
  let failing = false;
  /** Number of upcoming reads of the targets that fail. */
  let refusals = 0;
  let warnings: object[] = [];
  const changes = new ChangeCounter();

  beforeEach(async () => {
    directory = temporaryDirectory();
    store = await openDocumentStore({ path: directory.path });
    [targets, offsets, sent, failing, refusals, warnings] = [[], {}, [], false, 0, []];
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.stop();
    await store.close();
    directory.remove();
  });

  const batchOf = (subscriptionId: string, offset: number): PushBatch => ({
    subscription: `projects/p/subscriptions/${subscriptionId}`,
    messages: [{ messageId: `${offset}`, data: '', publishTime: '' }],
    startedAt: Date.now(),
    renew: () => true,
    acknowledge: async () => {
      offsets[subscriptionId] = offset + 1;
    },
    giveBack: async () => undefined,
    takeBack: () => undefined,
    release: () => undefined,
  });

  const start = async (node: string): Promise<PushEngine> => {
    const engine = new PushEngine({
      store,
      targets: async () => {
        if (refusals-- > 0) throw new ReadModelsUnavailable('they do not show the whole log yet');
        return targets;
      },
      feedOf: ({ subscriptionId }) => ({ next: async () => batchOf(subscriptionId, offsets[subscriptionId] ?? 0) }),
      sender: {
        send: async ({ url, body = '' }) => {
          sent.push(`${node} ${url} ${JSON.parse(body).subscription} ${JSON.parse(body).message.messageId}`);
          return { status: failing ? 500 : 200, body: Buffer.alloc(0) };
        },
      },
      targetChanges: changes,
      log: {
        debug: () => {},
        info: () => {},
        warn: (facts: object) => void warnings.push(facts),
        error: (facts: object) => void warnings.push(facts),
      },
      now: Date.now,
      shortestPeriod: 1,
      timing,
    });
    engines.push(engine);
    await engine.start(node);
    return engine;
  };
  const become = (next: readonly PushTarget[]): void => {
    targets = next;
    changes.announce();
  };
  const arrived = (part: string): number => sent.filter((line) => line.includes(part)).length;

  it('follows new, changed and deleted subscriptions', async () => {
    await start('one');
    become([target('a')]);
    await until(() => arrived('/a ') > 2);
    become([target('a', 'https://example.org/other'), target('b')]);
    await until(() => arrived('/other') > 2 && arrived('/b ') > 2);
    const before = arrived('https://example.org/in projects/p/subscriptions/a');
    become([target('b')]);
    await until(async () => {
      const [others, count] = [arrived('/other'), arrived('/b ')];
      await until(() => arrived('/b ') > count + 20);
      return arrived('/other') === others;
    });
    expect(arrived('https://example.org/in projects/p/subscriptions/a')).toBe(before);
  });

  it('works on one node, and continues on another at once and without a gap when that node stops', async () => {
    targets = [target('a')];
    const first = await start('one');
    await until(() => arrived('one') > 2);
    await start('two');
    expect(arrived('two')).toBe(0);
    await first.stop();
    await until(() => arrived('two') > 2);
    const offsetsSent = sent.map((line) => Number(line.split(' ')[3]));
    expect(offsetsSent).toEqual([...offsetsSent].sort((a, b) => a - b));
    expect(new Set(offsetsSent).size).toBeGreaterThan((offsetsSent.at(-1) ?? 0) - 1);
  });

  it('waits for read models that are not shown yet, and logs that ever more rarely', async () => {
    refusals = 3;
    targets = [target('a')];
    await start('one');
    await until(() => arrived('/a ') > 2);
    expect(warnings).toEqual([1, 2].map((attempt) => ({ attempt, err: expect.any(ReadModelsUnavailable) })));
  });

  it('reports since when each subscription fails, as long as it does, however often it is tried', async () => {
    failing = true;
    targets = [target('a'), target('b')];
    const before = Date.now();
    await start('one');
    const since = async () => {
      const found = await Promise.all(['a', 'b'].map((id) => workCondition(store, PUSH_LEASE, Date.now(), timing, id)));
      return found.flatMap((condition) => condition.since ?? []);
    };
    await until(async () => (await since()).length === 2);
    const first = await since();
    expect(Date.parse(first[0] ?? '')).toBeGreaterThanOrEqual(before);
    const tries = arrived('/a ');
    await until(() => arrived('/a ') > tries + 2);
    expect(await since()).toEqual(first);
    failing = false;
    await until(async () => (await since()).length === 0);
  });

  it('reports a problem for as long as it lasts, and the last one for as long as it pushes', async () => {
    failing = true;
    targets = [target('a')];
    await start('one');
    const condition = () => workCondition(store, PUSH_LEASE, Date.now(), timing, 'a');
    const [problem, last] = [async () => (await condition()).problem, async () => (await condition()).lastProblem];
    await until(async () => (await problem()) !== null);
    expect(await problem()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d - Could not send message, the endpoint answered 500$/);
    failing = false;
    await until(async () => (await problem()) === null);
    expect(await last()).toMatch(/the endpoint answered 500$/);
    become([target('a', 'https://example.org/other')]);
    await until(() => arrived('/other') > 0);
    expect(await last()).toMatch(/the endpoint answered 500$/);
    failing = true;
    await until(async () => (await problem()) !== null);
    become([]);
    await until(async () => (await problem()) === null && (await last()) === null);
  });
});
