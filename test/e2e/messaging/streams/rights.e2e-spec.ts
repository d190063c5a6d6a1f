import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectError, inProject, type ProjectCalls, SERVICE_TOKEN, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { deployments, OPERATOR } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { EventStreamReader } from '#test/support/messaging/event-stream.js';

const UNAUTHORIZED = { error: { code: 401, message: 'Unauthorized', status: 'UNAUTHORIZED' } };
const FORBIDDEN = { error: { code: 403, message: 'Access to this resource is forbidden', status: 'FORBIDDEN' } };
const NO_PROJECT = { error: { code: 404, message: "project doesn't exist", status: 'NOT_FOUND' } };

type Loss = readonly [what: string, role: string, take: (user: string) => Promise<unknown>, error: object];

describe.each(deployments)('the rights of a caller, on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);
  let p: ProjectCalls;
  const { publish } = trafficOf(() => p);
  const opened: EventStreamReader[] = [];
  const stream = async (project: string, subscription: string, key: string) => {
    const path = `/v1/projects/${project}/subscriptions/${subscription}:stream`;
    const reader = await EventStreamReader.open(`${scene.server.url}${path}`, key);
    opened.push(reader);
    expect(reader.response.status).toBe(200);
    return reader;
  };
  const v1 = async (method: string, path: string, body?: unknown) => {
    const answer = await scene.root.call(method, `/v1${path}`, { key: SERVICE_TOKEN, body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.json;
  };
  const waiting = (project: ProjectCalls, subscription: string) =>
    project.post(`/subscriptions/${subscription}:pull`, { returnImmediately: 'false' });
  const lastOf = ({ events }: EventStreamReader) => [events.at(-1)?.event, JSON.parse(events.at(-1)?.data ?? '')];

  /** A topic of this name, and subscriptions that are read with cursors and message by message. */
  const subscribed = async (project: ProjectCalls, name: string, topic: string): Promise<readonly [cursor: string, message: string]> => {
    await project.topic(topic);
    await project.subscription(`${topic}-cursor`, topic);
    await project.put(`/subscriptions/${topic}-message`, { topic: `projects/${name}/topics/${topic}`, ackMode: 'message' });
    return [`${topic}-cursor`, `${topic}-message`];
  };
  const named = (what: string): string => what.replaceAll(' ', '-');

  const losses: readonly Loss[] = [
    ['a member who is removed', 'consumer', (user) => v1('POST', `/projects/p/members/${user}:remove`), UNAUTHORIZED],
    ['a user who is deleted', 'consumer', (user) => v1('DELETE', `/users/${user}`), UNAUTHORIZED],
    ['a refreshed key', 'consumer', (user) => v1('POST', `/users/${user}:refreshToken`), UNAUTHORIZED],
    [
      'a role that is replaced',
      'consumer',
      (user) => v1('PUT', `/projects/p/members/${user}`, { projects: [{ project: 'p', roles: ['publisher'] }] }),
      FORBIDDEN,
    ],
    [
      'an administrator who becomes a consumer',
      'project_admin',
      (user) => v1('PUT', `/projects/p/members/${user}`, { projects: [{ project: 'p', roles: ['consumer'] }] }),
      FORBIDDEN,
    ],
    [
      'an ACL without the user',
      'consumer',
      async (user) => {
        for (const kind of ['cursor', 'message'])
          await v1('POST', `/projects/p/subscriptions/${user}-${kind}:modifyAcl`, { authorized_users: [] });
      },
      FORBIDDEN,
    ],
  ];

  const lose = async ([what, role, take, error]: Loss): Promise<void> => {
    const user = named(what);
    const key = await p.member(user, role);
    const [cursor, message] = await subscribed(p, 'p', user);
    const authorized_users = role === 'consumer' ? [user] : []; // administrators need no ACL
    for (const name of [cursor, message]) await v1('POST', `/projects/p/subscriptions/${name}:modifyAcl`, { authorized_users });
    const streams = [await stream('p', cursor, key), await stream('p', message, key)];
    await take(user);
    for (const reader of streams) {
      await reader.ended();
      expect(lastOf(reader)).toEqual(['error', error]);
    }
    const others = await stream('p', message, SERVICE_TOKEN);
    await publish(user, texts('a'));
    await others.until(({ messages }) => messages.length > 0); // no ended stream has a lease of it
    others.close();
  };

  const interruptPulls = async (): Promise<void> => {
    const subscriptions = await subscribed(p, 'p', 'quiet');
    const consumers = async () => {
      const { json } = await scene.root.call('GET', '/ops/messaging/p/subscriptions/quiet-message', { key: OPERATOR });
      return (json as { consumers: { waiting: number | null } }).consumers;
    };
    let users = 0;
    /** The answers to pulls that waited before their user was deleted; 200 if they had waited for as long as they may by then. */
    const interrupted = async () => {
      const user = `waits-${++users}`;
      const key = await p.member(user, 'consumer');
      for (const name of subscriptions) await v1('POST', `/projects/p/subscriptions/${name}:modifyAcl`, { authorized_users: [user] });
      const answers = subscriptions.map((name) => waiting(inProject(scene, 'p', key), name));
      await eventually(consumers).until((found) => found.waiting === 1);
      await v1('DELETE', `/users/${user}`);
      return Promise.all(answers);
    };
    const answers = await eventually(interrupted).until((all) => all.every(({ status }) => status !== 200));
    for (const answer of answers) expectError(answer, 'UNAUTHORIZED: Unauthorized');
  };

  const revoke = async (): Promise<void> => {
    const { id, key } = await issueKey(scene.root, 'messaging', 'service_admin', 'streaming');
    const [cursor] = await subscribed(p, 'p', 'revoked');
    const reader = await stream('p', cursor, key);
    await reader.until(({ events }) => events.length > 0);
    expect((await scene.root.call('DELETE', `/ops/keys/${id}`, { key: OPERATOR })).status).toBe(204);
    await reader.ended();
    expect(lastOf(reader)).toEqual(['error', UNAUTHORIZED]);
  };

  const rename = async (): Promise<void> => {
    const before = await createProject(scene, 'before');
    const [cursor, message] = await subscribed(before, 'before', 't');
    await before.subscription('waiting', 't');
    const streams = [await stream('before', cursor, SERVICE_TOKEN), await stream('before', message, SERVICE_TOKEN)];
    for (const reader of streams) await reader.until(({ events }) => events.length > 0);
    const pull = waiting(before, 'waiting');
    await v1('PUT', '/projects/before', { name: 'after' });
    await createProject(scene, 'before'); // another project of the earlier name
    await v1('POST', '/projects/after/topics/t:publish', { messages: texts('a') });
    const ids: string[] = [];
    for (const reader of streams) {
      await reader.ended();
      expect(lastOf(reader)).toEqual(['error', NO_PROJECT]);
      ids.push(...reader.messages.map(({ ackId }) => ackId));
    }
    const { status, json } = await pull;
    if (status === 200) ids.push(...(json as { receivedMessages: { ackId: string }[] }).receivedMessages.map(({ ackId }) => ackId));
    else expect(json).toEqual(NO_PROJECT);
    for (const id of ids) expect(id).toMatch(/^projects\/after\/subscriptions\//);
  };

  /** At the same time, as each waits for the next look at its rights. */
  const plays: readonly (readonly [name: string, play: () => Promise<void>])[] = [
    ...losses.map((loss) => [`end the streams of ${loss[0]}`, () => lose(loss)] as const),
    ['end waiting pulls of a user who is deleted', interruptPulls],
    ['end the stream of a key that an operator revokes', revoke],
    ['are for a project by its name: after a renaming ids name the new one, then the stream ends', rename],
  ];
  const outcomes: Promise<void>[] = [];

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    for (const [, play] of plays) {
      const outcome = play();
      outcome.catch(() => undefined); // its test tells
      outcomes.push(outcome);
    }
  });
  afterAll(() => {
    for (const reader of opened) reader.close();
  });

  it.each(plays.map(([name], at) => [name, at] as const))('%s', (_play, at) => outcomes[at]);
});
