import type { Told } from '#test/faults/history.js';
import { ADMIN, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import * as accounting from './accounting.js';
import { type Address, pause } from './client.js';
import { ask, type Request } from './http.js';
import * as messaging from './messaging.js';
import * as status from './status.js';

/** After this, what is waited for is said never to come. */
export const DEADLINE_MS = 60_000;

export class NeverCame extends Error {}

/** Asks until it succeeds, also where it was done already. @throws NeverCame after a minute, with the last answer */
export const insist = async <Result>({ port, node }: Address, request: Request, read: (json: unknown) => Result): Promise<Result> => {
  const deadline = performance.now() + DEADLINE_MS;
  const found: { result?: Result } = {};
  const take = (json: unknown): Told => {
    found.result = read(json);
    return {};
  };
  for (;;) {
    const answer = await ask(port, request, take);
    if (answer.outcome === 'done') return found.result as Result;
    if (performance.now() > deadline)
      throw new NeverCame(`${node}: ${request.method} ${request.path} still answers ${answer.status} ${answer.text}`);
    await pause(100);
  }
};

/** What the clients of a run find there: a tenant, a project, topics, a subscription for each consumer and for the reader in the end. */
export const prepare = async (address: Address, consumers: readonly Readonly<{ subscription: string; topic: string }>[]): Promise<void> => {
  const call = async (headers: Readonly<Record<string, string>>, method: 'POST' | 'PUT', path: string, body?: unknown): Promise<void> => {
    await insist(address, { method, path, headers, body }, () => undefined);
  };
  const users = [{ name: 'admin', email: 'admin@example.org', api_key: status.TENANT_KEY, roles: ['admin'] }];
  await call({ 'x-api-key': ADMIN }, 'POST', '/api/v2/admin/tenants', { info: { name: status.TENANT }, users });

  const service = { 'x-api-key': SERVICE_TOKEN };
  const project = `/v1/projects/${messaging.PROJECT}`;
  await call(service, 'POST', project, {});
  for (const topic of messaging.TOPICS) await call(service, 'PUT', `${project}/topics/${topic}`);
  for (const { subscription, topic } of consumers)
    await call(service, 'PUT', `${project}/subscriptions/${subscription}`, {
      topic: `projects/${messaging.PROJECT}/topics/${topic}`,
      ackDeadlineSeconds: 300,
    });

  const json = { authorization: `Bearer ${SYSTEM_ADMIN}`, 'content-type': 'application/json' };
  const dates = { start_date: '2020-01-01', end_date: '2032-12-31' };
  const { PROJECT, BASE, BASE_PROVIDER } = accounting;
  await call(json, 'POST', `${BASE}/admin/projects`, { id: PROJECT, acronym: 'a', title: 't', call_identifier: 'c', ...dates });
  await call(json, 'POST', `${BASE}/providers`, { id: BASE_PROVIDER, name: BASE_PROVIDER });
  await call(json, 'POST', `${BASE}/projects/${PROJECT}/associate/provider/${BASE_PROVIDER}`);
};
