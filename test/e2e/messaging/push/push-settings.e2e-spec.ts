import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectEmpty, expectError, j3, type ProjectCalls, PULLED, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';
import {
  BAD_BODY,
  BAD_TYPE,
  CHAT,
  chat,
  ENDPOINT,
  HTTP,
  http,
  MALFORMED,
  MISSING,
  NONE,
  SECRET,
  type Settings,
  settingsOf,
  WRONG,
} from './push-settings.js';

describe('push settings', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  let number = 0;
  const topic = 'projects/p/topics/t';

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
  });

  const create = (pushConfig: unknown, name = `s${++number}`): Promise<Answer> => p.put(`/subscriptions/${name}`, { topic, pushConfig });
  const created = async (pushConfig: unknown): Promise<string> => {
    const name = `s${++number}`;
    expect((await create(pushConfig, name)).status).toBe(200);
    return name;
  };
  const modify = (name: string, pushConfig: unknown): Promise<Answer> => p.post(`/subscriptions/${name}:modifyPushConfig`, { pushConfig });
  const shown = async (name: string): Promise<Settings> => settingsOf(await p.get(`/subscriptions/${name}`));

  describe('of a new subscription', () => {
    it.each<[string, object, object]>([
      ['of an HTTP endpoint have defaults', http, HTTP],
      [
        'may be of an endpoint alone, as the Python client sends it, with every member but those of the server',
        {
          pushEndpoint: ENDPOINT,
          maxMessages: 25,
          authorizationHeader: { type: 'disabled', value: 'x' },
          retryPolicy: { type: 'linear', period: 300 },
          base64Decode: true,
          verified: true,
          verificationHash: 'x',
        },
        {
          ...HTTP,
          maxMessages: 25,
          authorizationHeader: { type: 'disabled' },
          retryPolicy: { type: 'linear', period: 300 },
          base64Decode: true,
        },
      ],
      [
        'of mattermost have a user and a channel',
        { ...chat, mattermostUsername: 'bot', mattermostChannel: 'ops', maxMessages: 9 },
        { ...CHAT, mattermostUsername: 'bot', mattermostChannel: 'ops' },
      ],
      [
        'are read in any letter case',
        { TYPE: 'http_endpoint', PushEndpoint: ENDPOINT, RETRYPOLICY: { Type: 'slowstart' } },
        { ...HTTP, retryPolicy: { type: 'slowstart', period: 0 } },
      ],
    ])('%s', async (_what, given, expected) => {
      const answer = await create(given, `n${++number}`);
      expect(settingsOf(answer)).toEqual(expected);
      expect(answer.text).toBe(j3(answer.json));
      expect(Object.keys(settingsOf(answer))).toEqual(Object.keys(PULLED));
      expect(await shown(`n${number}`)).toEqual(settingsOf(answer));
    });

    it.each(NONE)('are none when they are %j', async (none) => expect(settingsOf(await create(none))).toEqual(PULLED));

    it('are new secrets for each subscription', async () => {
      const secrets = [await create(http), await create(http)]
        .map(settingsOf)
        .flatMap((one) => [one.verificationHash, one.authorizationHeader.value]);
      expect(new Set(secrets).size).toBe(4);
    });

    it.each(WRONG)('are refused when they are %j', async (given, line) => {
      expectError(await create(given, 'wrong'), line);
      expectError(await p.get('/subscriptions/wrong'), MISSING);
    });

    it.each(MALFORMED)('are malformed when they are %s', async (given) =>
      expectError(await p.put('/subscriptions/wrong', `{"topic":"${topic}","pushConfig":${given}}`), BAD_BODY),
    );

    it('are checked after the topic and before the name', async () => {
      const name = await created(http);
      expectError(
        await p.put('/subscriptions/x', { topic: 'projects/p/topics/none', pushConfig: { type: 'x' } }),
        "NOT_FOUND: Topic doesn't exist",
      );
      expectError(await create({ type: 'x' }, name), BAD_TYPE);
      expectError(await create(http, name), 'ALREADY_EXISTS: Subscription already exists');
    });
  });

  describe('that are modified', () => {
    it('turn a pulled subscription into a pushed one, and back', async () => {
      const name = await created(undefined);
      expectEmpty(await modify(name, http));
      expect(await shown(name)).toEqual(HTTP);
      expectEmpty(await modify(name, {}));
      expect(await shown(name)).toEqual(PULLED);
      expectEmpty(await modify(name, chat));
      expect(await shown(name)).toEqual(CHAT);
      expectEmpty(await p.post(`/subscriptions/${name}:modifyPushConfig`, '{}'));
      expect(await shown(name)).toEqual(PULLED);
    });

    it('keep what they do not name; another endpoint has a new hash', async () => {
      const name = await created({ ...http, maxMessages: 7, base64Decode: true });
      const before = await shown(name);
      expectEmpty(await modify(name, http));
      expect(await shown(name)).toEqual(before);
      expectEmpty(await modify(name, { pushEndpoint: `${ENDPOINT}0` }));
      const after = await shown(name);
      expect(after).toEqual({ ...before, pushEndpoint: `${ENDPOINT}0`, verificationHash: expect.stringMatching(SECRET) });
      expect(after.verificationHash).not.toBe(before.verificationHash);
    });

    it.each(WRONG)('are refused when they are %j', async (given, line, instead = line) => {
      const name = await created(http);
      const before = await shown(name);
      expectError(await modify(name, given), instead);
      expect(await shown(name)).toEqual(before);
    });

    it.each([...MALFORMED.map((given) => `{"pushConfig":${given}}`), '', '{', '[]', '{} {}'])('are malformed with body %s', async (body) =>
      expectError(await p.post('/subscriptions/none:modifyPushConfig', body), BAD_BODY),
    );

    it('must be those of a subscription that exists', async () => {
      expectError(await modify('none', http), MISSING);
      expectError(await modify('none', {}), MISSING);
      expectError(await modify('none', { type: 'x' }), MISSING);
    });

    it('are modified once for each Idempotency-Key', async () => {
      const name = await created(http);
      const body = { pushConfig: { ...http, authorizationHeader: { type: 'autogen' } } };
      const call = (given: unknown) => p.post(`/subscriptions/${name}:modifyPushConfig`, given, { 'idempotency-key': 'once' });
      expectEmpty(await call(body));
      const { authorizationHeader } = await shown(name);
      expectEmpty(await call(body));
      expect((await shown(name)).authorizationHeader).toEqual(authorizationHeader);
      expect((await call({ pushConfig: chat })).status).toBe(422);
    });
  });

  it('are listed, without a status', async () => {
    const q = await createProject(scene, 'q');
    await q.topic('t');
    await q.put('/subscriptions/s', { topic: 'projects/q/topics/t', pushConfig: chat });
    const { subscriptions } = (await q.get('/subscriptions')).json as { subscriptions: readonly Record<string, unknown>[] };
    expect(subscriptions).toEqual([
      {
        name: '/projects/q/subscriptions/s',
        topic: '/projects/q/topics/t',
        pushConfig: CHAT,
        ackDeadlineSeconds: 10,
        createdOn: expect.any(String),
      },
    ]);
  });

  it('have secrets that are in no log line', async () => {
    const { verificationHash, authorizationHeader } = await shown(await created(http));
    const log = scene.server.lines.join('\n');
    expect(log).not.toContain(verificationHash);
    expect(log).not.toContain(authorizationHeader.value);
  });

  it.each([
    'https://127.0.0.1/in',
    'https://localhost/in',
    'https://[::1]/in',
    'https://169.254.169.254/in',
    'https://2130706433/in',
    'https://unknown.invalid/in',
  ])('are not verified by calls to %s', async (pushEndpoint) => {
    const name = await created({ pushEndpoint });
    const { hostname } = new URL(pushEndpoint);
    const host = hostname.replace(/[[\]]/g, '');
    expectError(
      await p.post(`/subscriptions/${name}:verifyPushEndpoint`),
      `UNAUTHORIZED: Endpoint verification failed.${host} has no public address`,
    );
    expect((await shown(name)).verified).toBe(false);
  });

  it('tell that a push server serves', async () => {
    const { port } = new URL(scene.server.url);
    expect((await scene.root.get('/v1/status')).json).toEqual({
      status: 'ok',
      push_servers: [{ endpoint: `127.0.0.1:${port}`, status: 'SERVING' }],
    });
  });
});
