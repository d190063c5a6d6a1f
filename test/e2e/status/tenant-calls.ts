import { beforeAll, expect } from '@jest/globals';
import type { Serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR } from '#test/support/deployments.js';
import { type Answer, idOf, recordsOf } from '#test/support/status-client.js';
import { conflict, messageOf, pretty, UTF8_JSON } from './contract.js';

export type User = Readonly<{ id: string; name: string; email: string; api_key: string; roles?: readonly string[] }>;
export type Tenant = Readonly<{ id: string; info: Readonly<{ name: string; created: string; updated: string }>; users?: readonly User[] }>;

export const BROKEN = '{"name":';
export const KEY = /^[0-9a-f]{64}$/;
export const UPDATED = pretty(messageOf('Tenant successfully updated'));
export const USER_UPDATED = pretty(messageOf('User succesfully updated'));
export const userNotFound = {
  status: { message: 'Not Found', code: '404', details: 'item with the specific ID was not found on the server' },
};
export const keyTaken = (key: string) => conflict(`More than one users found using the key: ${key}`);
export const nameTaken = conflict('Tenant with same name already exists');
export const user = (name: string, api_key?: string, roles: readonly string[] = ['admin']) => ({
  name,
  email: `${name}@x`,
  ...(api_key === undefined ? {} : { api_key }),
  roles,
});

/** The calls on tenants of one server, as its super admin. */
export const administration = (scene: Serving) => {
  const key = ADMIN;
  const path = (id: string, rest = '') => `/admin/tenants/${id}${rest}`;
  const one = async (id: string) => recordsOf(await scene.status.get(path(id), { key }))[0] as Tenant;
  return {
    create: (body: unknown) => scene.status.post('/admin/tenants', { key, body }),
    created: async (name: string, ...users: readonly object[]) =>
      idOf(await scene.status.post('/admin/tenants', { key, body: { info: { name }, users } })),
    one,
    get: (id: string, rest = '') => scene.status.get(path(id, rest), { key }),
    put: (id: string, body: unknown, rest = '') => scene.status.put(path(id, rest), { key, body }),
    post: (id: string, rest: string, body?: unknown, headers = {}) => scene.status.post(path(id, rest), { key, body, headers }),
    remove: (id: string, rest = '') => scene.status.delete(path(id, rest), { key }),
    usersOf: async (id: string) => (await one(id)).users ?? [],
    /** What a tenant's user gets for a harmless call. */
    statusFor: async (apiKey: string | undefined) => (await scene.status.get('/weights', { key: apiKey })).status,
  };
};

export const expectBody = (answer: Answer, status: number, body: unknown) =>
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, pretty(body), UTF8_JSON]);

/** Keys of the three kinds of administrators and, as `tenant`, of a tenant's user who holds an administrator's role; made before the tests. */
export const holders = (scene: Serving): Readonly<Record<string, string>> => {
  const keys: Record<string, string> = { super_admin: ADMIN, tenant: 'roles-user' };
  beforeAll(async () => {
    for (const role of ['super_admin_restricted', 'super_admin_ui']) {
      const answer = await scene.root.post('/ops/keys', { key: OPERATOR, body: { service: 'status', role, name: role } });
      keys[role] = (answer.json as { key: string }).key;
    }
    await administration(scene).created('roles', user('roles', 'roles-user', ['admin', 'super_admin']));
  });
  return keys;
};
