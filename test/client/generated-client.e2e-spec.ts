import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { generatedClient, successOf } from './client.js';

const scene = serving(embedded);

/** What the types say is checked by `npm run typecheck`; what they promise, here. */
describe('a client generated from the description: messaging', () => {
  it('publishes a message and consumes it', async () => {
    const client = generatedClient(scene.server.url, { 'x-api-key': SERVICE_TOKEN });
    const topic = { path: { project: 'lab', topic: 'news' } };
    const inbox = { path: { project: 'lab', subscription: 'inbox' } };
    successOf(await client.POST('/v1/projects/{project}', { params: { path: { project: 'lab' } }, body: {} }));
    successOf(await client.PUT('/v1/projects/{project}/topics/{topic}', { params: topic, body: {} }));
    successOf(
      await client.PUT('/v1/projects/{project}/subscriptions/{subscription}', {
        params: inbox,
        body: { topic: 'projects/lab/topics/news' },
      }),
    );
    const data = Buffer.from('hello').toString('base64');
    const published = await client.POST('/v1/projects/{project}/topics/{topic}:publish', {
      params: topic,
      body: { messages: [{ data, attributes: { language: 'en' } }] },
    });
    expect(successOf(published).messageIds).toEqual(['0']);
    const pulled = await client.POST('/v1/projects/{project}/subscriptions/{subscription}:pull', {
      params: inbox,
      body: { maxMessages: '1' },
    });
    const received = successOf(pulled).receivedMessages;
    expect(received.map(({ message }) => message.data)).toEqual([data]);
    const acknowledged = await client.POST('/v1/projects/{project}/subscriptions/{subscription}:acknowledge', {
      params: inbox,
      body: { ackIds: received.map(({ ackId }) => ackId) },
    });
    expect(acknowledged.response.status).toBe(200);
  });
});

describe('a client generated from the description: accounting', () => {
  it('records the usage of an installation', async () => {
    const client = generatedClient(scene.server.url, { authorization: `Bearer ${SYSTEM_ADMIN}` });
    const project = {
      id: 'lab',
      acronym: 'LAB',
      title: 'Laboratory',
      start_date: '2030-01-01',
      end_date: '2032-12-31',
      call_identifier: 'c',
    };
    successOf(await client.POST('/accounting-system/admin/projects', { body: project }));
    successOf(await client.POST('/accounting-system/providers', { body: { id: 'grnet', name: 'GRNET' } }));
    const pair = { path: { project_id: 'lab', provider_id: 'grnet' } };
    successOf(await client.POST('/accounting-system/projects/{project_id}/associate/provider/{provider_id}', { params: pair }));
    const installation = successOf(
      await client.POST('/accounting-system/installations', {
        body: { project: 'lab', organisation: 'grnet', infrastructure: 'cloud', installation: 'knossos' },
      }),
    );
    const definition = successOf(
      await client.POST('/accounting-system/metric-definitions', {
        body: { metric_name: 'storage', metric_type: 'count', unit_type: 'TB' },
      }),
    );
    const path = { installation_id: String(installation.id) };
    const metric = await client.POST('/accounting-system/installations/{installation_id}/metrics', {
      params: { path },
      body: {
        metric_definition_id: definition.metric_definition_id,
        time_period_start: '2024-01-01T00:00:00Z',
        time_period_end: '2024-01-02T00:00:00Z',
        value: 12.5,
      },
    });
    expect(successOf(metric).value).toBe(12.5);
    const metrics = await client.GET('/accounting-system/installations/{installation_id}/metrics', {
      params: { path, query: { size: 5 } },
    });
    expect(successOf(metrics).total_elements).toBe(1);
  });
});

describe('a client generated from the description: status', () => {
  it('keeps the versions of a profile by day', async () => {
    const administrator = generatedClient(scene.server.url, { 'x-api-key': ADMIN });
    const users = [{ name: 'ada', email: 'ada@example.org', api_key: 'let-me-in', roles: ['admin'] }];
    successOf(await administrator.POST('/api/v2/admin/tenants', { body: { info: { name: 'EGI' }, users } }));
    const client = generatedClient(scene.server.url, { 'x-api-key': 'let-me-in', accept: 'application/json' });
    const weights = (value: number) => ({
      name: 'hepspec',
      weight_type: 'hepspec',
      group_type: 'SITES',
      groups: [{ name: 'SITE-A', value }],
    });
    const created = await client.POST('/api/v2/weights', { params: { query: { date: '2024-01-15' } }, body: weights(1) });
    const path = { id: successOf(created).data.id };
    successOf(await client.PUT('/api/v2/weights/{id}', { params: { path, query: { date: '2024-03-01' } }, body: weights(2) }));
    const read = await client.GET('/api/v2/weights/{id}', { params: { path, query: { date: '2024-02-01' } } });
    expect(successOf(read).data.map(({ date, groups }) => [date, groups])).toEqual([['2024-01-15', weights(1).groups]]);
  });
});

describe('a client generated from the description: operations', () => {
  it('makes a key, uses it and revokes it', async () => {
    const operator = generatedClient(scene.server.url, { 'x-api-key': OPERATOR });
    const made = successOf(await operator.POST('/ops/keys', { body: { service: 'ops', role: 'auditor', name: 'yearly audit' } }));
    const auditor = generatedClient(scene.server.url, { 'x-api-key': made.key ?? '' });
    const first = () => auditor.GET('/audit/events', { params: { query: { limit: 1 } } });
    const { items } = successOf(await eventually(first).until(({ response }) => response.status !== 503)); // until the audit index has followed
    expect(items.length).toBe(1);
    const revoked = await operator.DELETE('/ops/keys/{id}', { params: { path: { id: made.id } } });
    expect(revoked.response.status).toBe(204);
    const refused = await auditor.GET('/audit/events');
    expect([refused.response.status, refused.error]).toEqual([401, expect.objectContaining({ status: 401 })]);
  });
});
