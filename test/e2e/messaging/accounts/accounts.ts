import { SERVICE_TOKEN } from '#test/e2e/messaging/calls.js';
import type { Serving } from '#test/e2e/serving.js';
import { type Answer, type Call, httpClient } from '#test/support/status-client.js';

/** Members of the wire that tests look at. */
export type User = Readonly<{
  uuid: string;
  name: string;
  token: string;
  created_on: string;
  modified_on: string;
  created_by?: string;
  service_roles: readonly string[];
  projects?: readonly Readonly<{
    project: string;
    roles: readonly string[];
    topics: readonly string[];
    subscriptions: readonly string[];
  }>[];
}>;
export type UserList = Readonly<{ users: readonly User[]; nextPageToken: string; totalSize: number }>;
export type Registration = Readonly<{ uuid: string; activation_token: string; registered_at: string; modified_at: string }>;

export const HEX_64 = /^[0-9a-f]{64}$/;
export const bodyOf = <Body>({ json }: Answer): Body => json as Body;

/** @throws unless the call succeeded */
export const made = async <Body>(answer: Promise<Answer>): Promise<Body> => {
  const { status, text, json } = await answer;
  if (status !== 200) throw new Error(`${status} ${text}`);
  return json as Body;
};

/** The calls of the holder of a key, the service token by default; paths are relative to `/v1`. */
export const accountCalls = (scene: Serving, key: string | undefined = SERVICE_TOKEN) => {
  const call = (method: string, path: string, options: Call = {}): Promise<Answer> =>
    httpClient(scene.server.url, '/v1').call(method, path, { key, ...options });
  const post = (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => call('POST', path, { body, headers });
  return {
    call,
    get: (path: string) => call('GET', path),
    put: (path: string, body?: unknown) => call('PUT', path, { body }),
    post,
    delete: (path: string) => call('DELETE', path),
    /** Creates a project. @throws unless it was created */
    project: (name: string, description = '') => made<object>(post(`/projects/${name}`, { description })),
    /** Creates a user. @throws unless it was created */
    user: (name: string, body: object = {}) => made<User>(post(`/users/${name}`, body)),
    /** Asks for an account. @throws unless that was possible */
    registration: (name: string, body: object = {}) => made<Registration>(post('/registrations', { name, ...body })),
  };
};
