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

const ROLES = ['admin', 'editor', 'viewer', 'admin_ui', 'unknown_role'];
export const UNDER_XML: Call = { accept: 'application/xml' };

let tenants = 0;

/** A new tenant, called as its admin. */
export const newTenant = async (status: HttpClient) => {
  tenants += 1;
  const name = `tenant-${tenants}`;
  const id = await registerTenant(status, ADMIN, name, ROLES);
  const key = `${name}-admin`;
  return {
    name,
    id,
    call: (method: string, path: string, options: Call = {}) => status.call(method, path, { key, ...options }),
    get: (path: string, options: Call = {}) => status.get(path, { key, ...options }),
    post: (path: string, body: unknown, options: Call = {}) => status.post(path, { key, body, ...options }),
    put: (path: string, body: unknown, options: Call = {}) => status.put(path, { key, body, ...options }),
    delete: (path: string, options: Call = {}) => status.delete(path, { key, ...options }),
  };
};
export type TestTenant = Awaited<ReturnType<typeof newTenant>>;

/** The tenant agrees that these others show its topology. */
export const agreeWith = async (tenant: TestTenant, ...readers: readonly Pick<TestTenant, 'name'>[]): Promise<void> => {
  const { status } = await tenant.put('/feeds/data/readers', { tenants: readers.map(({ name }) => name) });
  expect(status).toBe(200);
};
