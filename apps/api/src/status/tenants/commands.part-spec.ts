import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CreateSubscription } from '#api/messaging/resources/subscription-commands.js';
import { CreateTopic } from '#api/messaging/resources/topic-commands.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { ConnectMetricSource } from '#api/status/metric-source/commands.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { streamOfMetricSource } from '#domain/status/metric-source/metric-source.js';
import { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { TenantQueries } from '#projections/status/tenants/queries.js';
import { type Application, addProject, contextFor, openApplication } from '#test/support/application.js';
import {
  AddTenantUser,
  DeleteTenant,
  type NewUser,
  RegisterTenant,
  RenewTenantUserKey,
  ReviseTenant,
  ReviseTenantUser,
} from './commands.js';

let application: Application;
let tenants: TenantQueries;
beforeAll(async () => {
  application = await openApplication();
  tenants = application.get(TenantQueries);
});
afterAll(() => application?.close());

const GENERATED = /^[0-9a-f]{64}$/;

const user = (apiKey: string, name = 'ada'): NewUser => ({ name, email: 'ada@example.org', roles: ['viewer'], apiKey });
const data = (name: string, users: readonly NewUser[]) => ({
  info: { name, email: '', description: '', image: '', website: '' },
  databases: [],
  topology: { type: '', feed: '' },
  users,
});
const context = () => contextFor('status', { kind: 'key', id: 'administrator' });
const register = async (...users: readonly NewUser[]): Promise<string> =>
  (await application.execute(new RegisterTenant(context(), data(randomUUID(), users)))).id;
const usersOf = async (tenantId: string) => (await tenants.tenant(tenantId))?.users ?? [];
const holderOf = async (apiKey: string) => (await tenants.apiKeyHolder(application.get(CredentialHashes).of(apiKey)))?.userId;

describe('Registering a tenant', () => {
  it('keeps the api keys that users bring and generates the others', async () => {
    const tenantId = await register(user('own key'), user(''));
    const [brought, generated] = await usersOf(tenantId);
    expect(brought?.api_key).toBe('own key');
    expect(generated?.api_key).toMatch(GENERATED);
    expect(await holderOf('own key')).toBe(brought?.id);
    expect(await holderOf(generated?.api_key ?? '')).toBe(generated?.id);
  });
});

describe('Revising a tenant', () => {
  it('keeps the users whose api keys are in the list, removes the others and adds new ones', async () => {
    const tenantId = await register(user('kept'), user('leaving'));
    const [kept] = await usersOf(tenantId);
    expect(
      await application.execute(new ReviseTenant(context(), { tenantId, ...data(randomUUID(), [user(''), user('kept', 'bob')]) })),
    ).toMatchObject({
      readable: true,
    });
    const [added, before] = await usersOf(tenantId);
    expect(added?.api_key).toMatch(GENERATED);
    expect(before).toMatchObject({ id: kept?.id, name: 'bob', api_key: 'kept' });
    expect(await holderOf('leaving')).toBeUndefined();
  });
});

describe('Users of a tenant', () => {
  it('are added with a generated api key', async () => {
    const tenantId = await register();
    const { id } = await application.execute(new AddTenantUser(context(), { tenantId, profile: { name: 'eve', email: '', roles: [] } }));
    expect(await usersOf(tenantId)).toMatchObject([{ id, name: 'eve', api_key: expect.stringMatching(GENERATED) }]);
  });

  it('keep what a revision leaves empty, the api key included', async () => {
    const tenantId = await register(user('stays'));
    const [before] = await usersOf(tenantId);
    const changes = { name: 'grace', email: '', roles: [], apiKey: '' };
    await application.execute(new ReviseTenantUser(context(), { tenantId, userId: before?.id ?? '', changes }));
    expect(await usersOf(tenantId)).toEqual([{ ...before, name: 'grace' }]);
  });

  it('get a new api key, and the same one when the call is repeated', async () => {
    const tenantId = await register(user('old'));
    const [{ id = '' } = {}] = await usersOf(tenantId);
    const repeatable = { ...context(), idempotency: { key: randomUUID(), body: 'none' } };
    const renewed = await application.execute(new RenewTenantUserKey(repeatable, { tenantId, userId: id }));
    expect(renewed.apiKey).toMatch(GENERATED);
    expect(await application.execute(new RenewTenantUserKey(repeatable, { tenantId, userId: id }))).toEqual(renewed);
    expect([await holderOf('old'), await holderOf(renewed.apiKey)]).toEqual([undefined, id]);
  });
});

it('A tenant that was deleted before is not left with a metric source', async () => {
  const projectId = 'p';
  await addProject(application);
  await application.execute(new CreateTopic(context(), { projectId, name: 't', schema: null }));
  const settings = { topic: 't', ackDeadlineSeconds: 10, push: null };
  await application.execute(new CreateSubscription(context(), { projectId, name: 's', settings }));
  const tenantId = await register();
  const before = await tenants.tenant(tenantId);
  await application.execute(new DeleteTenant(context(), { tenantId }));
  jest.spyOn(TenantQueries.prototype, 'tenant').mockResolvedValue(before);
  const connecting = new ConnectMetricSource(context(), { tenantId, named: { project: 'p', subscription: 's', deadLetterTopic: '' } });
  await expect(application.execute(connecting)).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  jest.restoreAllMocks();
  const events = await application.get<EventStore>(EVENT_STORE).readStream(streamOfMetricSource(tenantId), { limit: 10 });
  expect(events.map(({ type }) => type)).toEqual(['MetricSourceConnected', 'MetricSourceDisconnected']);
});
