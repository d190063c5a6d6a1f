import { expect } from '@jest/globals';
import type { Serving } from '#test/e2e/serving.js';
import { UTF8_JSON } from '#test/e2e/status/contract.js';
import { type Answer, type Call, httpClient } from '#test/support/status-client.js';

/** Bodies and calls of the messaging service, written down independently of the implementation. */

export const SERVICE_TOKEN = 'messaging-service-token';
/** For `serving`: a server whose service token is {@link SERVICE_TOKEN}. */
export const WITH_TOKEN = { LOGBOOK_MESSAGING_SERVICE_TOKEN: SERVICE_TOKEN };

export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** `pushConfig` of a subscription that is pulled (messaging contract 3.7). */
export const PULLED = {
  type: '',
  pushEndpoint: '',
  maxMessages: 0,
  authorizationHeader: {},
  retryPolicy: {},
  verificationHash: '',
  verified: false,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: false,
};

/** JSON with three spaces per level, three characters escaped (messaging contract 0.3). */
export const j3 = (value: unknown): string =>
  JSON.stringify(value, null, 3).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);

const STATUS_CODES = {
  BAD_REQUEST: 400,
  INVALID_ARGUMENT: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  TIMEOUT: 408,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  INTERNAL_SERVER_ERROR: 500,
} as const;

/** An error of messaging contract 2.2: `<status>: <message>`. */
export type ErrorLine = `${keyof typeof STATUS_CODES}: ${string}`;

/** The answer is this error: status, every byte of the body, type. */
export const expectError = (answer: Answer, line: ErrorLine): void => {
  const [status = '', ...message] = line.split(': ');
  const code = STATUS_CODES[status as keyof typeof STATUS_CODES];
  expect([answer.status, answer.text]).toEqual([code, j3({ error: { code, message: message.join(': '), status } })]);
  expect(answer.headers.get('content-type')).toBe(UTF8_JSON);
};

/** Success: 200, this body in this layout, the type of JSON. */
export const expectBody = (answer: Answer, body: unknown, layout: (value: unknown) => string = j3): void => {
  expect([answer.status, answer.text]).toEqual([200, layout(body)]);
  expect(answer.headers.get('content-type')).toBe(UTF8_JSON);
};

/** Success without a body. */
export const expectEmpty = (answer: Answer): void => expectBody(answer, '', String);

/** The calls of one caller inside of one project; paths are relative to it. Without a key: those of the service token. */
export const inProject = (scene: Serving, project: string, key = SERVICE_TOKEN) => {
  const call = (method: string, path: string, body?: unknown, options: Call = {}): Promise<Answer> =>
    httpClient(scene.server.url, `/v1/projects/${project}`).call(method, path, { key, body, ...options });
  return {
    call,
    get: (path: string) => call('GET', path),
    put: (path: string, body?: unknown) => call('PUT', path, body),
    post: (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => call('POST', path, body, { headers }),
    delete: (path: string) => call('DELETE', path),
    /** Creates a topic. @throws unless it was created */
    topic: async (name: string, schema = '') => succeed(await call('PUT', `/topics/${name}`, schema ? { schema } : undefined)),
    /** Creates a subscription. What is pulled stays due for longer than any test, unless `more` says otherwise. @throws unless it was created */
    subscription: async (name: string, topic: string, more: object = { ackDeadlineSeconds: 600 }) =>
      succeed(await call('PUT', `/subscriptions/${name}`, { topic: `projects/${project}/topics/${topic}`, ...more })),
    /** Creates a schema. @throws unless it was created */
    schema: async (name: string) => succeed(await call('POST', `/schemas/${name}`, { type: 'json', schema: { type: 'object' } })),
    /** Creates a user who is a member with these roles, and returns its token. @throws unless it was created */
    member: async (name: string, ...roles: readonly string[]): Promise<string> => {
      const answer = await call('POST', `/members/${name}`, { projects: [{ project, roles }] });
      return (succeed(answer).json as { token: string }).token;
    },
  };
};

export type ProjectCalls = ReturnType<typeof inProject>;

/** @throws unless the call has succeeded */
export const succeed = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
};

/** Creates a project. @throws unless it was created */
export const createProject = async (scene: Serving, name: string): Promise<ProjectCalls> => {
  const project = inProject(scene, name);
  succeed(await project.post('', {}));
  return project;
};
