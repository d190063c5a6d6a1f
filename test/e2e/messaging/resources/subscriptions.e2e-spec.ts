import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectEmpty,
  expectError,
  INSTANT,
  inProject,
  type ProjectCalls,
  PULLED,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const MISSING: ErrorLine = "NOT_FOUND: Subscription doesn't exist";
const NO_TOPIC: ErrorLine = "NOT_FOUND: Topic doesn't exist";
const BAD_BODY: ErrorLine = 'INVALID_ARGUMENT: Invalid Subscription Arguments';
const BAD_TOPIC: ErrorLine = 'INVALID_ARGUMENT: Invalid Topic name';
const BAD_DEADLINE: ErrorLine = 'INVALID_ARGUMENT: Invalid ackDeadlineSeconds(needs value between 0 and 600) Arguments';
const TAKEN: ErrorLine = 'ALREADY_EXISTS: Subscription already exists';

/** Bodies whose types are wrong, or that are no JSON. */
const MALFORMED = ['{', '{"ackDeadlineSeconds":10.0}', '{"pushConfig":"x"}'];

describe('subscriptions', () => {
  const scene = serving(embedded, { ...WITH_TOKEN, LOGBOOK_ROLES: 'api,projector' });
  let p: ProjectCalls;
  let number = 0;
  const fresh = () => `s_${++number}-X`;
  const topic = 'projects/p/topics/t';
  const view = (name: string, answer: Answer, changes: object = {}) => ({
    name: `/projects/p/subscriptions/${name}`,
    topic: '/projects/p/topics/t',
    pushConfig: PULLED,
    ackDeadlineSeconds: 10,
    ...changes,
    createdOn: (answer.json as { createdOn: string }).createdOn,
  });

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await createProject(scene, 'q');
    await p.topic('t');
  });

  it.each([
    [{ topic }, 10],
    [{ topic, ackDeadlineSeconds: 0 }, 10],
    [{ topic, ackDeadlineSeconds: null, pushConfig: null }, 10],
    [{ topic, ackDeadlineSeconds: 1, pushConfig: {} }, 1],
    [{ topic, ackDeadlineSeconds: 600, other: [1] }, 600],
    [{ TOPIC: topic, ackdeadlineseconds: 7, PushConfig: { type: '', maxMessages: 0, retryPolicy: {}, verified: false } }, 7],
    [{ topic: 'projects/p/topic/t' }, 10],
    [{ topic: 'projects/q/topics/t' }, 10],
    [{ topic, ackDeadlineSeconds: -1 }, -1],
    [{ topic, ackDeadlineSeconds: 601 }, 601],
    [{ topic, ackDeadlineSeconds: 9_007_199_254_740_991 }, 9_007_199_254_740_991],
  ])('are created with %j', async (body, ackDeadlineSeconds) => {
    const name = fresh();
    const created = await p.put(`/subscriptions/${name}`, body);
    expectBody(created, view(name, created, { ackDeadlineSeconds }));
    const { createdOn } = created.json as { createdOn: string };
    expect(createdOn).toMatch(INSTANT);
    expectRecent(createdOn);
    expectBody(await p.get(`/subscriptions/${name}`), view(name, created, { ackDeadlineSeconds }));
  });

  it.each(MALFORMED)('are not created with the malformed body %s, whatever else is wrong', async (body) => {
    const name = fresh();
    await p.subscription(name, 't', {});
    expectError(await p.put(`/subscriptions/${name}`, body), BAD_BODY);
  });

  it.each([-1, 601])('are not created with a deadline of %d s where messages are leased', async (ackDeadlineSeconds) =>
    expectError(await p.put(`/subscriptions/${fresh()}`, { topic, ackDeadlineSeconds, ackMode: 'message' }), BAD_DEADLINE),
  );

  it.each([undefined, '/projects/p/topics/t', 'project/p/topic/t'])(
    'are not created for the topic reference %j, whatever else is wrong',
    async (reference) => {
      const name = fresh();
      await p.subscription(name, 't', {});
      expectError(await p.put(`/subscriptions/${name}`, { topic: reference }), BAD_TOPIC);
      expectError(await p.put(`/subscriptions/${name}`, { topic: reference, pushConfig: { type: 'x' } }), BAD_TOPIC);
    },
  );

  it('are refused for an unknown topic first, then for wrong push settings, then for a taken name', async () => {
    const name = fresh();
    await p.subscription(name, 't', {});
    const none = 'projects/p/topics/none';
    expectError(await p.put(`/subscriptions/${name}`, { topic: none }), NO_TOPIC);
    expectError(await p.put(`/subscriptions/${name}`, { topic: 'projects/p/topics/' }), NO_TOPIC);
    expectError(await p.put(`/subscriptions/${name}`, { topic: none, pushConfig: { type: 'x' } }), NO_TOPIC);
    const pushed = await p.put(`/subscriptions/${name}`, { topic, pushConfig: { type: 'x' } });
    expectError(pushed, 'CONFLICT: Push functionality is currently disabled');
    expectError(await p.put(`/subscriptions/${name}`, { topic }), TAKEN);
    expectError(await p.put(`/subscriptions/${name}`, { topic, ackDeadlineSeconds: 5 }), TAKEN);
  });

  it('may have the same name in several projects, that of a topic, and names of any length', async () => {
    const long = 'N'.repeat(5_000);
    for (const name of ['t', long]) {
      const created = await p.subscription(name, 't', {});
      expectBody(await p.get(`/subscriptions/${name}`), view(name, created));
    }
    const q = inProject(scene, 'q');
    expectError(await q.get('/subscriptions/t'), MISSING);
    await q.topic('t');
    await q.subscription('t', 't', {});
    expectEmpty(await q.delete('/subscriptions/t'));
    expect((await p.get('/subscriptions/t')).status).toBe(200);
  });

  it('start behind the messages that their topic has by then', async () => {
    const [name, other] = [fresh(), fresh()];
    await p.topic(other);
    await p.subscription(`${name}0`, other, {});
    for (const count of [1, 2]) {
      const messages = Array.from({ length: count }, () => ({ data: 'eA==' }));
      expect((await p.post(`/topics/${other}:publish`, { messages })).status).toBe(200);
      await p.subscription(`${name}${count}`, other, {});
    }
    for (const [index, current] of [0, 1, 3].entries())
      expectBody(await p.get(`/subscriptions/${name}${index}:offsets`), { max: 3, min: 0, current });
    await p.delete(`/topics/${other}`);
    await p.topic(other);
    await p.subscription(`${name}3`, other, {});
    expectBody(await p.get(`/subscriptions/${name}3:offsets`), { max: 0, min: 0, current: 0 });
  });

  it('are deleted once', async () => {
    const name = fresh();
    await p.subscription(name, 't', {});
    expectEmpty(await p.delete(`/subscriptions/${name}`));
    for (const answer of [await p.delete(`/subscriptions/${name}`), await p.get(`/subscriptions/${name}`)]) expectError(answer, MISSING);
    expectBody(
      await p.get(`/subscriptions/${name}`).then(() => p.subscription(name, 't', {})),
      view(name, await p.get(`/subscriptions/${name}`)),
    );
  });

  it('stay when their topic is deleted, and belong to the next topic of that name', async () => {
    const [name, other] = [fresh(), fresh()];
    await p.topic(other);
    const created = await p.subscription(name, other, {});
    const kept = view(name, created, { topic: `/projects/p/topics/${other}` });
    await p.delete(`/topics/${other}`);
    expectBody(await p.get(`/subscriptions/${name}`), kept);
    expectError(await p.put(`/subscriptions/${fresh()}`, { topic: `projects/p/topics/${other}` }), NO_TOPIC);
    expectEmpty(await p.post(`/subscriptions/${name}:modifyAckDeadline`, { ackDeadlineSeconds: 20 }));
    expectEmpty(await p.post(`/subscriptions/${name}:modifyAcl`, { authorized_users: [] }));
    await p.topic(other);
    expectBody(await p.get(`/topics/${other}/subscriptions`), { subscriptions: [`/projects/p/subscriptions/${name}`] }, JSON.stringify);
    expectEmpty(await p.delete(`/topics/${other}`));
    expectEmpty(await p.delete(`/subscriptions/${name}`));
  });

  describe('and their deadline', () => {
    const modify = (name: string, body: unknown, headers = {}) => p.post(`/subscriptions/${name}:modifyAckDeadline`, body, headers);
    const deadlineOf = async (name: string) => (await p.get(`/subscriptions/${name}`)).json as { ackDeadlineSeconds: number };

    it.each([
      ['{"ackDeadlineSeconds":600}', 600],
      ['{"ackDeadlineSeconds":1}', 1],
      ['{"ackDeadlineSeconds":0}', 0],
      ['{"AckDeadlineSeconds":33}', 33],
      ['{"ackDeadlineSeconds":null}', 0],
      ['{}', 0],
      ['null', 0],
    ])('take %s', async (body, seconds) => {
      const name = fresh();
      const created = await p.subscription(name, 't', {});
      expectEmpty(await modify(name, body));
      expectBody(await p.get(`/subscriptions/${name}`), view(name, created, { ackDeadlineSeconds: seconds }));
    });

    it.each(['{', '{"ackDeadlineSeconds":601}', '{"ackDeadlineSeconds":-1}', '{"ackDeadlineSeconds":5.5}'])(
      'refuse %s, before the subscription is looked for',
      async (body) => {
        const name = fresh();
        expectError(await modify(name, body), BAD_DEADLINE);
        await p.subscription(name, 't', {});
        expectError(await modify(name, body), BAD_DEADLINE);
        expect((await deadlineOf(name)).ackDeadlineSeconds).toBe(10);
      },
    );

    it('belong to a subscription that exists', async () => expectError(await modify(fresh(), { ackDeadlineSeconds: 5 }), MISSING));

    it('change once for each Idempotency-Key', async () => {
      const name = fresh();
      await p.subscription(name, 't', {});
      const headers = { 'idempotency-key': `deadline ${name}` };
      expectEmpty(await modify(name, { ackDeadlineSeconds: 5 }, headers));
      expectEmpty(await modify(name, { ackDeadlineSeconds: 6 }));
      expectEmpty(await modify(name, { ackDeadlineSeconds: 5 }, headers));
      expect((await deadlineOf(name)).ackDeadlineSeconds).toBe(6);
      expect((await modify(name, { ackDeadlineSeconds: 7 }, headers)).status).toBe(422);
    });
  });
});
