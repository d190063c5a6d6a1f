import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { CreateSubscription } from '#api/messaging/resources/subscription-commands.js';
import { CreateTopic } from '#api/messaging/resources/topic-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { ConnectMetricSource } from '#api/status/metric-source/commands.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { streamOfMetricSource } from '#domain/status/metric-source/metric-source.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import { DeleteTenant, RegisterTenant } from './commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication();
});
afterAll(() => application?.close());

const context = () => contextFor('status', { kind: 'key', id: 'administrator' });

it('A tenant that was deleted before is not left with a metric source', async () => {
  const projectId = 'p';
  await addProject(application);
  await application.execute(new CreateTopic(context(), { projectId, name: 't', schema: null }));
  const settings = { topic: 't', ackDeadlineSeconds: 10, push: null };
  await application.execute(new CreateSubscription(context(), { projectId, name: 's', settings }));
  const info = { name: 'short-lived', email: '', description: '', image: '', website: '' };
  const content = { info, databases: [], topology: { type: '', feed: '' }, users: [] };
  const { id: tenantId } = await application.execute(new RegisterTenant(context(), content));
  const before = await application.get(TenantQueries).tenant(tenantId);
  await application.execute(new DeleteTenant(context(), { tenantId }));
  jest.spyOn(TenantQueries.prototype, 'tenant').mockResolvedValue(before);
  const connecting = new ConnectMetricSource(context(), { tenantId, named: { project: 'p', subscription: 's', deadLetterTopic: '' } });
  await expect(application.execute(connecting)).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  jest.restoreAllMocks();
  const events = await application.get<EventStore>(EVENT_STORE).readStream(streamOfMetricSource(tenantId), { limit: 10 });
  expect(events.map(({ type }) => type)).toEqual(['MetricSourceConnected', 'MetricSourceDisconnected']);
});
