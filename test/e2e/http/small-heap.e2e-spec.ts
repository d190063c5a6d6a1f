import { expect, it } from '@jest/globals';
import { servingAlone } from '#test/e2e/serving.js';
import { ADMIN, embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';

const CALLERS = ['a', 'b', 'c', 'd', 'e', 'f'];
const scene = servingAlone(embedded, { NODE_OPTIONS: '--max-old-space-size=128' });

const messages = (count: number) => JSON.stringify({ messages: Array.from({ length: count }, () => ({ data: 'QUFB'.repeat(240) })) });
const endpoint = { group: 'SITE', type: 'SITES', service: 'web', tags: { scope: 'EGI' } };
const endpoints = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ ...endpoint, hostname: `host-${index}.site.example.org/with-a-name` })));

it('A process with a heap of 128 MiB outlives twelve bodies of 8 MB at a time, and takes those that it has room for', async () => {
  const { root, status } = scene;
  for (const caller of CALLERS) {
    await root.post(`/v1/projects/${caller}`, { key: SERVICE_TOKEN, body: {} });
    await root.put(`/v1/projects/${caller}/topics/t`, { key: SERVICE_TOKEN });
    await registerTenant(status, ADMIN, caller, ['admin']);
  }
  // A refusal may end the connection before the whole body is sent, or that of the next call.
  const take = (caller: string, body: string) =>
    root.post(`/v1/projects/${caller}/topics/t:publish`, { key: SERVICE_TOKEN, body }).catch(() => undefined);
  const list = (caller: string, body: string) =>
    status.post('/topology/endpoints', { key: `${caller}-admin`, body }).catch(() => undefined);
  const [messages8, endpoints8] = [messages(8_000), endpoints(68_000)];
  const answers = await Promise.all(CALLERS.flatMap((caller) => [take(caller, messages8), list(caller, endpoints8)]));
  expect(answers.flatMap((answer) => answer?.status ?? []).filter((code) => ![400, 413, 503].includes(code))).toEqual([]);
  const [messages2, endpoints2] = [messages(2_000), endpoints(17_000)];
  for (const caller of CALLERS) {
    await eventually(() => take(caller, messages2)).until((answer) => answer?.status === 200);
    await eventually(() => list(caller, endpoints2)).until((answer) => answer?.status === 201 || answer?.status === 409);
  }
});
