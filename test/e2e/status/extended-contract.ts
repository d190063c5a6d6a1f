import { expect } from '@jest/globals';
import { ADMIN } from '#test/support/deployments.js';
import { type Answer, type Call, type HttpClient, registerTenant } from '#test/support/status-client.js';
import { notFound, pretty, UTF8_JSON } from './contract.js';

/** Bodies of the extended status contract, written down independently of the implementation. */
export const emsg = (code: number, message: string) => ({ message, code: `${code}` });
export const estat = (code: number, message: string) => ({ status: { message, code: `${code}` } });
export const queryFoundNothing = {
  ...notFound,
  errors: [{ message: 'Not Found', code: '404', details: 'Specific query returned no items' }],
};

/** Status, every byte of the body, type and length of a JSON answer. */
export const expectJson = (answer: Answer, status: number, body: unknown): void => {
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([status, pretty(body), UTF8_JSON]);
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
};

const ROLES = ['admin', 'editor', 'viewer', 'admin_ui', 'unknown_role'] as const;
export type Role = (typeof ROLES)[number];
export const UNDER_XML: Call = { accept: 'application/xml' };

let tenants = 0;

/** A new tenant, called as one of its users: the admin unless another is asked for. */
export const newTenant = async (status: HttpClient) => {
  tenants += 1;
  const name = `tenant-${tenants}`;
  const id = await registerTenant(status, ADMIN, name, ROLES);
  const as = (role: Role) => {
    const key = `${name}-${role}`;
    return {
      call: (method: string, path: string, options: Call = {}) => status.call(method, path, { key, ...options }),
      get: (path: string, options: Call = {}) => status.get(path, { key, ...options }),
      post: (path: string, body: unknown, options: Call = {}) => status.post(path, { key, body, ...options }),
      put: (path: string, body: unknown, options: Call = {}) => status.put(path, { key, body, ...options }),
      delete: (path: string, options: Call = {}) => status.delete(path, { key, ...options }),
    };
  };
  return { name, id, as, ...as('admin') };
};
export type TestTenant = Awaited<ReturnType<typeof newTenant>>;

/** The roles that get something other than 403 from the call. */
export const rolesOf = async (tenant: TestTenant, method: string, path: string): Promise<readonly Role[]> => {
  const allowed: Role[] = [];
  for (const role of ROLES) if ((await tenant.as(role).call(method, path)).status !== 403) allowed.push(role);
  return allowed;
};

/** The tenant agrees that these others show its topology. */
export const agreeWith = async (tenant: TestTenant, ...readers: readonly Pick<TestTenant, 'name'>[]): Promise<void> => {
  const { status } = await tenant.put('/feeds/data/readers', { tenants: readers.map(({ name }) => name) });
  expect(status).toBe(200);
};
