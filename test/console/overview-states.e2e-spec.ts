import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import type { Finding } from '#domain/operations/findings.js';
import { servingAlone } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { given } from '#test/e2e/status/metric-data/metric-points.js';
import { unreadable } from '#test/e2e/status/reports/reports.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { withClock } from '#test/faults/parts/programs.js';
import { ADMIN, embedded, OPERATOR, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually, holds } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver, status } from '#test/support/messaging/push-receiver.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { registerTenant } from '#test/support/status-client.js';
import { adjoining } from './axe.js';
import { browsing, describeInBrowser } from './browser.js';
import { smallPng } from './pictures/small-png.js';
import { becomes, finds, shows, visiting } from './visiting.js';

/** Longer than events may wait for an anchor, in milliseconds. */
const LATER = 3 * 3_600_000;
let clock: string;
/** By the clock of the server, once it is set. */
const dayThere = (): string => new Date(Date.now() + LATER).toISOString().slice(0, 10);

const scene = servingAlone(
  async () => {
    const deployment = await embedded();
    clock = join(deployment.dataDirectory, 'clock');
    await writeFile(clock, '0');
    return { ...deployment, environment: { ...deployment.environment, ...withClock(clock) } };
  },
  { LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' },
);
const visits = visiting(browsing(), () => scene.server.url);

/** Members of answers that are read here. */
type Answered = Readonly<{ receivedMessages: readonly { ackId: string }[]; pushConfig: { verificationHash: string } }>;

const post = async (path: string, body: object = {}, method = 'POST') => {
  const { status: code, json } = await scene.root.call(method, `/v1/projects/monitoring${path}`, { key: SERVICE_TOKEN, body });
  expect([path, code]).toEqual([path, 200]);
  return json as Answered;
};
const put = (path: string, body: object = {}) => post(path, body, 'PUT');
const topic = (name: string): string => `projects/monitoring/topics/${name}`;
const message = { data: Buffer.from('x').toString('base64') };

type Health = Readonly<{ findings: readonly Omit<Finding, 'view'>[]; chain: Readonly<{ unanchoredSeconds: number }> }>;
const health = async () => (await scene.root.get('/health')).json as Health;

/** Lines of the doctor that are not ok, without the names of their checks. */
const doctor = async (): Promise<readonly string[]> => {
  const environment = { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: OPERATOR };
  const { code, stdout } = await runLogbook(['doctor', '--json'], environment);
  const wrong = (JSON.parse(stdout) as { items: { ok: boolean; detail: string }[] }).items.filter(({ ok }) => !ok);
  expect(code).toBe(wrong.length === 0 ? 0 : 1);
  return wrong.map(({ detail }) => detail);
};

/** Folder for pictures, if `npm run screenshots` runs these tests. */
const { LOGBOOK_PICTURES: pictures } = process.env;

/** Keeps what the first line says. */
const picture = async (page: Page, state: string): Promise<void> => {
  if (pictures !== undefined) await writeFile(join(pictures, `state-${state}.png`), smallPng(await page.getByRole('status').screenshot()));
};

/** Awaits that page, `/health` and doctor say these sentences, in this order, and nothing else. */
const allSay = async (page: Page, ...sentences: readonly string[]): Promise<void> => {
  await shows(page.getByRole('status').locator('.state'), sentences.length === 0 ? ['All is well'] : sentences);
  await holds(async () => expect((await health()).findings.map(({ text }) => text)).toEqual(sentences));
  await holds(async () => expect(await doctor()).toEqual(sentences.map((sentence) => expect.stringContaining(sentence))));
  await finds(page.getByText('All is well'), sentences.length === 0 ? 1 : 0);
  expect(await adjoining(page)).toEqual([]);
};

/** Follows the link of a sentence. */
const leadsTo = async (page: Page, sentence: string, address: RegExp): Promise<void> => {
  await page.getByRole('status').getByRole('listitem').filter({ hasText: sentence }).getByRole('link').click();
  await becomes(async () => page.url(), expect.stringMatching(address));
  await page.getByRole('heading', { level: 1 }).waitFor();
};

const ANCHOR = 'The last anchor is too old: it does not cover the newest events.';
const SET_ASIDE = 'status.reports has paused 1 partition.';
const PUSH = '1 subscription fails to push.';
const UNVERIFIED = '1 push endpoint is not verified.';
const LETTERS = '1 dead letter has not been sent back.';
const PAUSED = 'The results of 1 tenant are paused.';
const GROUPS = '1 group is not OK.';

describeInBrowser('the first line of the overview', () => {
  let receiver: PushReceiver;
  beforeAll(async () => {
    receiver = await startPushReceiver();
    await registerTenant(scene.status, ADMIN, 'EGI', ['admin']);
    await post('');
    for (const name of ['pushed', 'worked', 'lost']) await put(`/topics/${name}`);
  });
  afterAll(() => receiver.close());

  it('says that all is well', () =>
    visits.at('', OPERATOR, async (page) => {
      await allSay(page);
      await picture(page, 'well');
    }));

  it('says that the anchor is old', async () => {
    const { keys } = (await scene.root.get('/audit/keys', { key: OPERATOR })).json as { keys: readonly { kid: string }[] };
    // From here on the server has no key that may sign.
    const until = new Date().toISOString();
    await scene.plant({ stream: SIGNING_KEYS_STREAM, type: 'SigningKeyRetired', data: { keyId: keys[0]?.kid ?? '', until } });
    await registerTenant(scene.status, ADMIN, 'later', ['later-admin']);
    await eventually(health).until(({ chain }) => chain.unanchoredSeconds > 0);
    await writeFile(clock, `${LATER / 1_000}`);
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, ANCHOR);
      await picture(page, 'anchor-old');
      await page.getByRole('region', { name: 'Log' }).getByText('too old').waitFor();
      await page.getByRole('region', { name: 'Log' }).getByText('last anchor 3 hours ago').waitFor(); // by the clock of the server, which was set
      await leadsTo(page, ANCHOR, /\/console\/integrity$/);
    });
  });

  it('says that a group is down', async () => {
    const tenant = await newTenant(scene.status);
    await smallReport(tenant, 'daily');
    const day = dayThere();
    await given(tenant, ...pointsOf(day, ['00:00:00', 'CRITICAL']));
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, ANCHOR, GROUPS);
      await picture(page, 'group-down');
      await leadsTo(page, GROUPS, /\/console\/status\?tenant=[\w-]+&report=daily/);
      const row = page
        .getByRole('region', { name: 'Not OK now' })
        .getByRole('listitem')
        .filter({ hasText: /CRITICAL since .* daily of / });
      await row.locator(`time[datetime="${day}T00:00:00Z"]`).waitFor();
      await row.getByRole('link').click();
      await becomes(async () => page.url(), expect.stringMatching(new RegExp(`&group=[^&]+&day=(${day}|${dayThere()})$`)));
    });
  });

  it('says that there are dead letters', async () => {
    const deadLetterPolicy = { deadLetterTopic: topic('lost'), maxDeliveryAttempts: 5 };
    const retryPolicy = { minimumBackoff: '0s', maximumBackoff: '0s' };
    await put('/subscriptions/workers', { topic: topic('worked'), ackMode: 'message', deadLetterPolicy, retryPolicy });
    await post('/topics/worked:publish', { messages: [message] });
    for (let attempts = 0; attempts < 5; ) {
      const { receivedMessages } = await post('/subscriptions/workers:pull', { maxMessages: '1' });
      attempts += receivedMessages.length;
      const ackIds = receivedMessages.map(({ ackId }) => ackId);
      if (ackIds.length > 0) await post('/subscriptions/workers:modifyAckDeadline', { ackIds, ackDeadlineSeconds: 0 });
    }
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, ANCHOR, LETTERS, GROUPS);
      await picture(page, 'dead-letters');
      await leadsTo(page, LETTERS, /\/console\/messaging\/monitoring\/subscriptions\/workers\?tab=dead-letters$/);
    });
  });

  it('says that a push fails', async () => {
    const pushConfig = { type: 'http_endpoint', pushEndpoint: `${receiver.url}/in`, retryPolicy: { type: 'linear', period: 300 } };
    const { pushConfig: made } = await put('/subscriptions/pushed', { topic: topic('pushed'), pushConfig });
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, ANCHOR, UNVERIFIED, LETTERS, GROUPS);
      await leadsTo(page, UNVERIFIED, /\/console\/messaging\/monitoring\/subscriptions\/pushed$/);
      await page.getByText('nothing is pushed before the call :verifyPushEndpoint succeeds').waitFor();
    });
    receiver.hash.current = made.verificationHash;
    await post('/subscriptions/pushed:verifyPushEndpoint');
    receiver.answer(status(500));
    await post('/topics/pushed:publish', { messages: [message] });
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, ANCHOR, PUSH, LETTERS, GROUPS);
      await picture(page, 'push-fails');
      await leadsTo(page, PUSH, /\/console\/messaging\/monitoring\/subscriptions\/pushed$/);
    });
  });

  it('says that a partition is paused', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'hurt', ['hurt-admin']);
    await scene.plant(unreadable(tenant, 'bad'));
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, SET_ASIDE, ANCHOR, PUSH, LETTERS, PAUSED, GROUPS);
      await picture(page, 'paused');
      await shows(page.getByRole('status').locator('.state.bad'), [SET_ASIDE]); // warnings look otherwise
      await page.getByRole('region', { name: 'Status', exact: true }).getByText('results paused').waitFor();
      await leadsTo(page, SET_ASIDE, /\/console\/projections\/status\.reports$/);
    });
  });

  it('does not count the groups of a tenant whose results are paused', async () => {
    const tenant = await newTenant(scene.status);
    await smallReport(tenant, 'daily');
    type Groups = Readonly<{ groups: number; items: readonly Readonly<{ tenant: Readonly<{ id: string }> }>[] }>;
    const groupsNow = async () => (await scene.root.get('/ops/groups', { key: OPERATOR })).json as Groups;
    const groupsOf = async () => (await groupsNow()).groups;
    const day = dayThere();
    await given(tenant, ...pointsOf(day, ['00:00:00', 'OK']));
    await eventually(groupsOf).until((groups) => groups === 2);
    await scene.plant(unreadable(tenant.id, 'bad'));
    await eventually(groupsOf).until((groups) => groups === 1);
    await visits.at('', OPERATOR, async (page) => {
      await allSay(page, 'status.reports has paused 2 partitions.', ANCHOR, PUSH, LETTERS, 'The results of 2 tenants are paused.', GROUPS);
      const [other] = (await groupsNow()).items;
      await leadsTo(page, 'The results of 2 tenants are paused.', new RegExp(`/console/status\\?tenant=${other?.tenant.id}&report=daily&`));
      const rows = page.getByRole('region', { name: 'Results paused' }).getByRole('listitem');
      await finds(rows, 2);
      await rows.first().getByRole('link', { name: 'status.reports' }).click();
      await becomes(async () => page.url(), expect.stringMatching(/\/console\/projections\/status\.reports$/));
      await page.goto(`/console/status?tenant=${tenant.id}`);
      await page.getByRole('alert').getByText('is paused after an internal error').waitFor();
    });
  });

  it('leads to a push that fails among others: why, since when, and that it works again', async () => {
    const pushConfig = { type: 'http_endpoint', pushEndpoint: `${receiver.url}/desk`, retryPolicy: { type: 'linear', period: 3_000 } };
    const { pushConfig: made } = await put('/subscriptions/desk', { topic: topic('pushed'), pushConfig });
    receiver.hash.current = made.verificationHash;
    await post('/subscriptions/desk:verifyPushEndpoint');
    await post('/topics/pushed:publish', { messages: [message] });
    await visits.at('', OPERATOR, async (page) => {
      await page.getByRole('status').getByText('2 subscriptions fail to push.').waitFor();
      await leadsTo(page, '2 subscriptions fail to push.', /\/console\/messaging\?tab=subscriptions&order=push$/);
      const rows = page.getByRole('table', { name: 'Subscriptions of all projects' }).getByRole('row', { name: /failing for \d.*: .*500/ });
      await finds(rows, 2);
      await rows.getByRole('link', { name: 'desk' }).click();
      await page
        .getByText(/^Every push has failed since .* UTC \(.*\), the last one at .*: .*500\. It is tried again by itself\.$/)
        .waitFor();
      receiver.answer(status(200));
      await page.getByText('Pushing has worked since.').waitFor();
      expect(await adjoining(page)).toEqual([]);
    });
  });

  it('leads to a paused partition: the event, that trying it again does not help, and a skip that does', () =>
    visits.at('', OPERATOR, async (page) => {
      await leadsTo(page, 'status.reports has paused 2 partitions.', /\/console\/projections\/status\.reports$/);
      await page.getByText('Each is paused at an event that cannot be applied').waitFor();
      const row = page.getByRole('row', { name: /^tenant hurt\b/ });
      await row.getByRole('button', { name: 'Resume' }).click();
      await page
        .getByRole('status')
        .getByText(/(still|stay) paused/)
        .waitFor();
      await page.getByRole('button', { name: 'Rebuild' }).click();
      await page
        .getByRole('status')
        .getByText(/^Rebuilt status\.reports from .*; 2 partitions stay paused\.$/)
        .waitFor();
      expect(await adjoining(page)).toEqual([]);
      await row.getByRole('link', { name: 'ReportCreated' }).click();
      await page.getByText('topology_schema').waitFor();
      await page.goBack();
      await row.getByRole('button', { name: 'Skip event' }).click();
      await page.getByRole('dialog').getByLabel('Reason').fill('never was a report');
      await page.getByRole('dialog').getByRole('button', { name: 'Skip event' }).click();
      await page
        .getByRole('status')
        .getByText(/^Skipped the failing event of tenant hurt: served again\.$/)
        .waitFor();
      await row.waitFor({ state: 'detached' });
    }));

  it('leads to an old anchor: why none is signed, a new key, and an anchor that covers all', () =>
    visits.at('', OPERATOR, async (page) => {
      await leadsTo(page, ANCHOR, /\/console\/integrity$/);
      const old = page.getByText(ANCHOR);
      await old.waitFor();
      await page.getByText('Sign one below. If that is refused,').waitFor();
      await page.getByRole('button', { name: 'Sign anchor now' }).click();
      await page.getByRole('alert').getByText('the signing key of this node was replaced').waitFor();
      expect(await adjoining(page)).toEqual([]);
      await page.getByRole('link', { name: 'Signing keys' }).click();
      await page.getByRole('button', { name: 'New signing key' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Use a new key' }).click();
      await page
        .getByRole('status')
        .getByText(/^Anchors are signed with the key \S+ from now on\.$/)
        .waitFor();
      await page.getByRole('link', { name: 'Integrity' }).click();
      await page.getByRole('button', { name: 'Sign anchor now' }).click();
      await page.getByRole('status').getByText('The newest anchor covers all').waitFor();
      await old.waitFor({ state: 'detached' });
    }));
});
