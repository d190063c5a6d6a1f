import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { ACCOUNTS } from '#projections/messaging/accounts/queries.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { Cleanup } from '#test/support/cleanup.js';
import { bothDeployments, SERVICE_TOKEN } from '#test/support/deployments.js';
import { countedCalls } from '#test/support/event-stores/counted-calls.js';
import { eventually } from '#test/support/eventually.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

/** Time by which the accounts show a change later than the other read models. */
const LATER_MS = 300;

const showAccountsLater = (readModels: ReadModels): void => {
  const { store } = Reflect.get(readModels, 'dependencies') as Readonly<{ store: ReadStore }>;
  for (const method of ['commit', 'commitSoon'] as const) {
    const commit = store[method].bind(store) as (namespace: Namespace, ...rest: readonly unknown[]) => Promise<void>;
    const later = async (namespace: Namespace, ...rest: readonly unknown[]): Promise<void> => {
      if (namespace.projection === ACCOUNTS) await pause(LATER_MS);
      return commit(namespace, ...rest);
    };
    Object.assign(store, { [method]: later });
  }
};

describe.each(bothDeployments)('a pull without messages, with %s', (_, open) => {
  const cleanup = new Cleanup();
  let lab: PastLab;
  let project: HttpClient;
  const post = (path: string, body: unknown) => project.post(path, { key: SERVICE_TOKEN, body });
  const pull = async (name: string): Promise<readonly unknown[]> => {
    const { json } = await eventually(() => post(`/subscriptions/${name}:pull`, { maxMessages: '10' })).until(
      ({ status }) => status === 200, // 503 while a busy machine does not show the subscription
    );
    return (json as { receivedMessages: readonly unknown[] }).receivedMessages;
  };
  /** Repeats a call that a busy machine refuses until it, or an earlier one, has created its record. */
  const created = (call: () => Promise<{ status: number }>) => eventually(call).until(({ status }) => status === 200 || status === 409);
  const subscribe = (name: string, more: object = {}) =>
    created(() => project.put(`/subscriptions/${name}`, { key: SERVICE_TOKEN, body: { topic: 'projects/p/topics/t', ...more } }));
  beforeAll(async () => {
    const deployment = await open();
    cleanup.defer(deployment.dispose);
    lab = await openPastLab(deployment, { LOGBOOK_HISTORY: 'off', LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN });
    cleanup.defer(() => lab.close());
    showAccountsLater(lab.runtime.readModels);
    project = httpClient(lab.url, '/v1/projects/p');
    await created(() => post('', {}));
    await created(() => project.put('/topics/t', { key: SERVICE_TOKEN, body: {} }));
  });
  afterAll(() => cleanup.run());

  it.each([
    ['cursor', (message: number) => `${message}`],
    ['message', (message: number) => `${message}-1`],
  ])('makes no call of the event store, and one after a publish has its message: ackMode %s', async (ackMode, idOf) => {
    await subscribe(ackMode, { ackMode });
    await pull(ackMode);
    const calls = countedCalls(lab.runtime.eventStore);
    const looked = async (): Promise<readonly unknown[]> => {
      calls.length = 0;
      return [...(await pull(ackMode)), ...calls];
    };
    expect(await eventually(looked).until(({ length }) => length === 0)).toEqual([]);
    const { max } = (await project.get(`/subscriptions/${ackMode}:offsets`, { key: SERVICE_TOKEN })).json as { max: number };
    for (let message = max; message < max + 20; message++) {
      await post('/topics/t:publish', { messages: [{ data: 'YQ==' }] });
      expect(await pull(ackMode)).toHaveLength(1);
      await post(`/subscriptions/${ackMode}:acknowledge`, { ackIds: [`projects/p/subscriptions/${ackMode}:${idOf(message)}`] });
      expect(await pull(ackMode)).toEqual([]);
    }
  });

  it.each(['cursor', 'message'].flatMap((ackMode) => ['subscription', 'project'].map((gone) => [gone, ackMode] as const)))(
    'that waits ends as a new one when its %s is deleted, and records nothing after that: ackMode %s',
    async (gone, ackMode) => {
      const name = `${gone}-${ackMode}`;
      const other = httpClient(lab.url, `/v1/projects/${name}`);
      const subscription = { topic: `projects/${name}/topics/t`, ackMode };
      await created(() => other.post('', { key: SERVICE_TOKEN, body: {} }));
      await created(() => other.put('/topics/t', { key: SERVICE_TOKEN, body: {} }));
      await created(() => other.put('/subscriptions/s', { key: SERVICE_TOKEN, body: subscription }));
      const pulled = (body: object) => other.post('/subscriptions/s:pull', { key: SERVICE_TOKEN, body });
      const waiting = pulled({ returnImmediately: 'false' });
      await pulled({}); // the other call has begun to wait, or will find the same
      await other.delete(gone === 'project' ? '' : '/subscriptions/s', { key: SERVICE_TOKEN });
      const after = await lab.runtime.eventStore.end();
      const [ended, again] = [await waiting, await pulled({})];
      expect([ended.status, ended.json]).toEqual([again.status, again.json]);
      expect(ended.status).toBe(404);
      const { events } = await lab.runtime.eventStore.readAll({ after, limit: 1_000 });
      expect(events.map(({ type }) => type)).not.toContain('BatchDelivered');
    },
  );
});
