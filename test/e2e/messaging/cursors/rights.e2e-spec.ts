import { beforeAll, describe, expect, it } from '@jest/globals';
import { createProject, expectEmpty, expectError, inProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { HTTP, http, type Settings, settingsOf } from '#test/e2e/messaging/push/push-settings.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const FORBIDDEN = 'FORBIDDEN: Access to this resource is forbidden';
const TIME = '2026-01-01T00:00:00.000Z';

/** Every call that reads or moves the subscription `s`, in the order in which they do no harm to each other. */
const callsOf = (s: string, ackId: string) => ({
  show: (p: ProjectCalls) => p.get(`/subscriptions/${s}`),
  offsets: (p: ProjectCalls) => p.get(`/subscriptions/${s}:offsets`),
  timeToOffset: (p: ProjectCalls) => p.get(`/subscriptions/${s}:timeToOffset?time=${TIME}`),
  metrics: (p: ProjectCalls) => p.get(`/subscriptions/${s}:metrics`),
  pull: (p: ProjectCalls) => p.post(`/subscriptions/${s}:pull`, {}),
  modifyAckDeadline: (p: ProjectCalls) => p.post(`/subscriptions/${s}:modifyAckDeadline`, { ackDeadlineSeconds: 20 }),
  extend: (p: ProjectCalls) => p.post(`/subscriptions/${s}:modifyAckDeadline`, { ackIds: [ackId], ackDeadlineSeconds: 20 }),
  acknowledge: (p: ProjectCalls) => p.post(`/subscriptions/${s}:acknowledge`, { ackIds: [ackId] }),
  modifyOffset: (p: ProjectCalls) => p.post(`/subscriptions/${s}:modifyOffset`, { offset: 0 }),
  seek: (p: ProjectCalls) => p.post(`/subscriptions/${s}:seek`, { time: TIME }),
  redrive: (p: ProjectCalls) => p.post(`/subscriptions/${s}:redrive`, {}),
  stream: (p: ProjectCalls) => p.get(`/subscriptions/${s}:stream?maxOutstandingMessages=1`),
});
type CallName = keyof ReturnType<typeof callsOf>;
const CALLS = Object.keys(callsOf('', '')) as CallName[];
/** Calls that the original leaves to every consumer of the project (messaging contract 1.7). */
const OPEN: readonly CallName[] = ['show', 'offsets', 'timeToOffset', 'modifyAckDeadline', 'extend', 'acknowledge', 'modifyOffset'];

describe.each([
  { switched: 'by default', environment: { LOGBOOK_MESSAGING_STRICT_ACL: 'false' }, strict: { cursor: false, message: true } },
  {
    switched: 'with LOGBOOK_MESSAGING_STRICT_ACL',
    environment: { LOGBOOK_MESSAGING_STRICT_ACL: 'true' },
    strict: { cursor: true, message: true },
  },
])('The ACL of a subscription, $switched,', ({ environment, strict }) => {
  const scene = serving(embedded, { ...WITH_TOKEN, ...environment });
  let p: ProjectCalls;
  let stranger: ProjectCalls;
  let reader: ProjectCalls;

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    stranger = inProject(scene, 'p', await p.member('stranger', 'consumer', 'publisher'));
    reader = inProject(scene, 'p', await p.member('reader', 'consumer'));
    for (const ackMode of ['cursor', 'message']) {
      await p.topic(ackMode);
      await p.put(`/subscriptions/${ackMode}`, { topic: `projects/p/topics/${ackMode}`, ackMode });
      await p.post(`/subscriptions/${ackMode}:modifyAcl`, { authorized_users: ['reader'] });
      await p.post(`/topics/${ackMode}:publish`, { messages: [{ data: 'YQ==' }, { data: 'Yg==' }] });
    }
  });
  const pulled = async (ackMode: string): Promise<string> =>
    ((await p.post(`/subscriptions/${ackMode}:pull`, {})).json as { receivedMessages: [{ ackId: string }] }).receivedMessages[0].ackId;

  describe.each(['cursor', 'message'] as const)('of ackMode %s', (ackMode) => {
    it('decides over every call that reads or moves it', async () => {
      const calls = callsOf(ackMode, await pulled(ackMode));
      const open: string[] = [];
      for (const name of CALLS.filter((one) => strict[ackMode] || !OPEN.includes(one))) {
        const answer = await calls[name](stranger);
        if (answer.status === 403) expectError(answer, FORBIDDEN);
        else open.push(`${name} ${answer.status}`);
      }
      expect(open).toEqual([]);
      expect((await p.get(`/subscriptions/${ackMode}:offsets`)).json).toMatchObject({ current: 0 });
      expect((await p.get(`/subscriptions/${ackMode}`)).json).toMatchObject({ ackDeadlineSeconds: 10 });
    });

    it('lets those in whom it names, and administrators', async () => {
      const calls = callsOf(ackMode, await pulled(ackMode));
      for (const name of CALLS.filter((one) => one !== 'stream'))
        for (const caller of [reader, p]) expect([name, (await calls[name](caller)).status]).not.toEqual([name, 403]);
    });
  });

  it('leaves to every consumer what the original leaves to them, unless it is strict', async () => {
    const calls = callsOf('cursor', await pulled('cursor'));
    for (const name of OPEN) expect([name, (await calls[name](stranger)).status]).toEqual([name, strict.cursor ? 403 : 200]);
  });
});

describe('Secrets of push settings', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const keys: Record<string, string> = {};
  const SECRETS = { pushEndpoint: 'https://ada:pass@receiver.example.org/in?token=t0ps3cret' };
  const HOOK = 'https://chat.example.org/hooks/t0ps3cret';

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
    for (const role of ['consumer', 'push_worker', 'project_admin']) keys[role] = await p.member(role, role);
    await p.put('/subscriptions/http', { topic: 'projects/p/topics/t', pushConfig: { ...http, ...SECRETS } });
    await p.put('/subscriptions/chat', { topic: 'projects/p/topics/t', pushConfig: { type: 'mattermost', mattermostUrl: HOOK } });
    for (const name of ['http', 'chat']) expectEmpty(await p.post(`/subscriptions/${name}:modifyAcl`, { authorized_users: ['consumer'] }));
  });
  const listed = ({ json }: Answer): readonly Settings[] =>
    (json as { subscriptions: { pushConfig: Settings }[] }).subscriptions.map((one) => one.pushConfig);
  const shownTo = async (caller: ProjectCalls): Promise<readonly Settings[]> => [
    ...(await Promise.all(['chat', 'http'].map(async (name) => settingsOf(await caller.get(`/subscriptions/${name}`))))),
    ...((await caller.get('/subscriptions')).status === 200 ? listed(await caller.get('/subscriptions')) : []),
  ];

  it.each(['consumer', 'push_worker'])('are not shown to a %s', async (role) => {
    const shown = await shownTo(inProject(scene, 'p', keys[role]));
    expect(JSON.stringify(shown)).not.toMatch(/t0ps3cret|pass|[0-9a-f]{64}/);
    expect(shown[0]).toMatchObject({ type: 'mattermost', mattermostUrl: '[secret]', verified: true });
    expect(shown[1]).toEqual({
      ...HTTP,
      pushEndpoint: 'https://[secret]@receiver.example.org/in?[secret]',
      authorizationHeader: { type: 'autogen', value: '[secret]' },
      verificationHash: '[secret]',
    });
  });

  it('are shown to administrators of the project and of the service', async () => {
    for (const caller of [p, inProject(scene, 'p', keys.project_admin)])
      for (const [index, settings] of (await shownTo(caller)).entries())
        expect(settings).toMatchObject(index % 2 === 0 ? { mattermostUrl: HOOK } : { ...HTTP, ...SECRETS });
  });
});
