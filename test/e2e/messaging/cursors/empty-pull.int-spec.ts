import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { Cleanup } from '#test/support/cleanup.js';
import { bothDeployments, SERVICE_TOKEN } from '#test/support/deployments.js';
import { countedCalls } from '#test/support/event-stores/counted-calls.js';
import { eventually } from '#test/support/eventually.js';
import { type HttpClient, httpClient } from '#test/support/status-client.js';

describe.each(bothDeployments)('a pull without messages, with %s', (_, open) => {
  const cleanup = new Cleanup();
  let lab: PastLab;
  let project: HttpClient;
  const post = (path: string, body: unknown) => project.post(path, { key: SERVICE_TOKEN, body });
  const pull = async (): Promise<readonly unknown[]> =>
    ((await post('/subscriptions/s:pull', { maxMessages: '10' })).json as { receivedMessages: readonly unknown[] }).receivedMessages;
  beforeAll(async () => {
    const deployment = await open();
    cleanup.defer(deployment.dispose);
    lab = await openPastLab(deployment, { LOGBOOK_HISTORY: 'off', LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN });
    cleanup.defer(() => lab.close());
    project = httpClient(lab.url, '/v1/projects/p');
    await post('', {});
    await project.put('/topics/t', { key: SERVICE_TOKEN, body: {} });
    await project.put('/subscriptions/s', { key: SERVICE_TOKEN, body: { topic: 'projects/p/topics/t' } });
    await pull();
  });
  afterAll(() => cleanup.run());

  it('makes no call of the event store, and one after a publish has its message', async () => {
    const calls = countedCalls(lab.runtime.eventStore);
    const looked = async (): Promise<readonly unknown[]> => {
      calls.length = 0;
      return [...(await pull()), ...calls];
    };
    expect(await eventually(looked, ({ length }) => length === 0)).toEqual([]);
    for (let message = 0; message < 20; message++) {
      await post('/topics/t:publish', { messages: [{ data: 'YQ==' }] });
      expect(await pull()).toHaveLength(1);
      await post('/subscriptions/s:acknowledge', { ackIds: [`projects/p/subscriptions/s:${message}`] });
      expect(await pull()).toEqual([]);
    }
  });
});
