import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { embedded, SERVICE_TOKEN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type PushReceiver, startPushReceiver, status } from '#test/support/messaging/push-receiver.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, callsOf, finds, queried, shows, textsOf, visiting } from './visiting.js';

const scene = serving(embedded, { LOGBOOK_PUSH_ALLOW_PRIVATE: 'true' });
const visits = visiting(browsing(), () => scene.server.url);
let auditor: string;
let auditorId: string;
let operator: string;
let operatorId: string;
let receiver: PushReceiver;

const MESSAGING = '/v1/projects/monitoring';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const put = async (path: string, body: object = {}) =>
  expect((await scene.root.put(`${MESSAGING}/${path}`, { key: SERVICE_TOKEN, body })).status).toBe(200);
const post = async (path: string, body: object = {}) => {
  const { status, json } = await scene.root.post(`${MESSAGING}${path}`, { key: SERVICE_TOKEN, body });
  expect(status).toBe(200);
  return json as { receivedMessages: { ackId: string }[] };
};
const publish = (...texts: readonly string[]) =>
  post('/topics/alerts:publish', { messages: texts.map((text) => ({ data: base64(text), attributes: { severity: 'high' } })) });
/** The consumer gives everything back that it pulls, until all attempts are used up. */
const bury = async (subscription: string, messages: number) => {
  for (let attempts = 0; attempts < 5 * messages; ) {
    const { receivedMessages } = await post(`/subscriptions/${subscription}:pull`, { maxMessages: '1000' });
    attempts += receivedMessages.length;
    const ackIds = receivedMessages.map(({ ackId }) => ackId);
    if (ackIds.length > 0) await post(`/subscriptions/${subscription}:modifyAckDeadline`, { ackIds, ackDeadlineSeconds: 0 });
  }
  await eventually(() => scene.root.get(`/ops/messaging/monitoring/subscriptions/${subscription}/dead-letters`, { key: operator })).until(
    ({ json }) => (json as { total: { count: number } }).total.count === messages,
  );
};
const head = async () => ((await scene.root.get('/ops/log', { key: operator })).json as { head: string }).head;
/** Types of the events after a position that somebody's calls left; deliveries, too, go on record by themselves a while later. */
const recordedBy = async (actor: string, position: string) => {
  const { json } = await scene.root.get(`/audit/events?order=asc&after=${position}&actor=${actor}`, { key: operator });
  return (json as { items: { type: string }[] }).items.map(({ type }) => type);
};

/** A subscription of another project whose endpoint answers 500. */
const failPush = async () => {
  const call = async (method: 'put' | 'post', path: string, body: object = {}) => {
    const answer = await scene.root[method](`/v1/projects/remote${path}`, { key: SERVICE_TOKEN, body });
    expect(answer.status).toBe(200);
    return answer.json as { pushConfig: { verificationHash: string } };
  };
  await call('post', '');
  for (const topic of ['news', 'quiet']) await call('put', `/topics/${topic}`);
  const quiet = { topic: 'projects/remote/topics/quiet', pushConfig: { pushEndpoint: receiver.url } };
  await call('put', '/subscriptions/unverified', quiet);
  const mattermost = { type: 'mattermost', mattermostUrl: 'https://chat.example/hooks/hidden', mattermostChannel: 'operations' };
  await call('put', '/subscriptions/chat', { topic: quiet.topic, pushConfig: mattermost });
  const pushConfig = { pushEndpoint: `${receiver.url}?token=hidden`, retryPolicy: { type: 'linear', period: 10 } };
  const body = { topic: 'projects/remote/topics/news', ackDeadlineSeconds: 60, pushConfig };
  receiver.hash.current = (await call('put', '/subscriptions/desk', body)).pushConfig.verificationHash;
  await call('post', '/subscriptions/desk:verifyPushEndpoint');
  receiver.answer(status(500));
  await call('post', '/topics/news:publish', { messages: [{ data: base64('one') }] });
};

afterAll(() => receiver.close());
beforeAll(async () => {
  receiver = await startPushReceiver();
  ({ id: auditorId, key: auditor } = await issueKey(scene.root, 'ops', 'auditor'));
  ({ id: operatorId, key: operator } = await issueKey(scene.root, 'ops', 'operator'));
  await post('');
  for (const topic of ['alerts', 'lost']) await put(`topics/${topic}`);
  const deadLetterPolicy = { deadLetterTopic: 'projects/monitoring/topics/lost', maxDeliveryAttempts: 5 };
  const retryPolicy = { minimumBackoff: '0s', maximumBackoff: '0s' };
  await put('subscriptions/workers', { topic: 'projects/monitoring/topics/alerts', ackMode: 'message', deadLetterPolicy, retryPolicy });
  await put('subscriptions/archive', { topic: 'projects/monitoring/topics/alerts' });
  await publish('{"host":"h1"}', 'disk is full', 'third');
  await bury('workers', 3);
  await failPush();
});

const letters = (page: Page) => page.getByRole('table', { name: 'Dead letters' });
const says = (page: Page, name: string, text: string) =>
  shows(page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::dd'), [text]);

describeInBrowser('the view of messaging', () => {
  it('leads from projects to a subscription, first those that somebody has to look at, and leaves no event', async () => {
    const page = await visits.open('/messaging', operator);
    const before = await head();
    const asked = callsOf(page);
    await page.getByRole('link', { name: 'monitoring' }).click();
    const rows = page.getByRole('table', { name: 'Subscriptions' }).locator('tbody tr');
    await shows(rows.first(), [expect.stringMatching(/^workers\s*has dead letters/)]);
    expect(new Set(asked).size).toBeLessThanOrEqual(6); // what is shown for long is loaded anew
    await rows.first().getByRole('link', { name: 'workers' }).click();
    await page.getByRole('heading', { level: 2, name: 'workers' }).waitFor();
    await page.waitForURL('**/console/messaging/monitoring/subscriptions/workers');
    await shows(page.getByRole('tab'), ['State', 'Dead letters']);
    await page.goto('/console/messaging/monitoring/alerts');
    await page.waitForURL('**/console/messaging/monitoring/topics/alerts');
    await page.getByRole('heading', { level: 2, name: 'alerts' }).waitFor();
    expect(await recordedBy(operatorId, before)).toEqual([]);
    await page.context().close();
  });

  it('has marks and ages by the clock of the server, whatever that of the browser says', async () => {
    const page = await visits.open('/messaging/monitoring', operator);
    await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
    await page.reload();
    await page.getByRole('row', { name: /^archive \d.*(\d (seconds?|minutes?) ago|now)/ }).waitFor();
    await finds(page.getByText('waits too long'), 0);
    await page.context().close();
  });

  it('shows the state of a subscription: what waits by age, in and out, and all facts in words', () =>
    visits.at('/messaging/monitoring/subscriptions/archive', auditor, async (page) => {
      const ages = page.getByRole('table', { name: 'Backlog by age' });
      await shows(ages.locator('tbody tr'), [
        expect.stringMatching(/^under 1 minute[03]$/), // the test may come a minute after they were published
        expect.stringMatching(/^1 to 10 minutes[03]$/),
        '10 minutes to 1 hour0',
        '1 hour to 1 day0',
        'older than 1 day0',
        'all3',
      ]);
      await publish('fourth');
      await ages.getByRole('row', { name: 'all 4' }).waitFor();
      await page.getByRole('img', { name: /^In and out over the last hour/ }).waitFor();
      await page.getByRole('button', { name: 'Show as table' }).click();
      const hour = page.getByRole('table', { name: /^In and out over the last hour/ });
      await shows(hour.getByRole('columnheader'), ['Time', 'published', 'delivered']);
      await finds(hour.locator('tbody tr'), 12);
      await page.getByText(/^Created at .* UTC: it got nothing that was published before\.$/).waitFor();
      await says(page, 'Topic', 'alerts');
      await says(page, 'Leased', '0');
      await says(page, 'Last pull', 'never');
      await says(page, 'Last push error', 'none');
      await says(page, 'Acknowledged up to', 'nothing yet');
      await shows(page.getByRole('tab'), ['State', 'Dead letters', 'Versions']);
      await page.getByRole('tab', { name: 'Dead letters' }).click();
      await page.getByText('This subscription has no dead letter topic.').waitFor();
      await page.getByRole('tab', { name: 'Versions' }).click();
      await page.getByText('SubscriptionCreated').first().waitFor();
      await page.getByRole('link', { name: '/projects/monitoring/topics/alerts' }).first().click();
      await page.waitForURL('**/console/messaging/monitoring/topics/alerts');
    }));

  it('lists the subscriptions of all projects by backlog, age, failing push and dead letters, marked as on the page of their project', () =>
    visits.at('/messaging', operator, async (page) => {
      await page.getByRole('tab', { name: 'Subscriptions' }).click();
      const table = page.getByRole('table', { name: 'Subscriptions of all projects' });
      await shows(table.getByRole('columnheader'), ['Subscription', 'Backlog', 'Oldest waiting', 'Push', 'Dead letters']);
      await table.getByRole('row', { name: /^desk\s*push fails\s*in remote 1 / }).waitFor();
      const names = table.locator('tbody th > a');
      const firstName = names.first();
      await shows(names, expect.arrayContaining(['archive', 'desk', 'unverified', 'workers']));
      await shows(firstName, ['archive']); // the largest backlog, and the oldest message
      await page.getByLabel('Order').selectOption('oldest message');
      await queried(page, 'order', 'oldest');
      await shows(firstName, ['archive']);
      await page.getByLabel('Order').selectOption('failing push');
      await queried(page, 'order', 'push');
      await shows(names, ['desk', 'unverified']);
      await table.getByRole('row', { name: /failing for \d.* s: .*500/ }).waitFor();
      await table.getByRole('row', { name: /^unverified\s*push is not verified.*nothing is pushed/ }).waitFor();
      await page
        .getByText(/^2 of \d+ subscriptions: those whose push fails, then those whose push endpoint is not verified\. Counted /)
        .waitFor();
      await page.getByLabel('Order').selectOption('dead letters');
      await shows(names, ['workers']);
      await table
        .getByRole('row', { name: /^workers\s*has dead letters/ })
        .getByRole('link', { name: '3' })
        .waitFor();
      await page.getByLabel('Order').selectOption('failing push');
      await table.getByRole('link', { name: 'desk' }).click();
      await page.waitForURL('**/console/messaging/remote/subscriptions/desk');
    }));

  it('shows operators why a push fails and since when, as a sentence, and the settings of a subscription without credentials', () =>
    visits.at('/messaging/remote/subscriptions/desk', operator, async (page) => {
      const at = String.raw`\d{4}-\d\d-\d\d [\d:.]{8,12} UTC`;
      await page
        .getByText(
          new RegExp(`^Every push has failed since ${at} \\(.*\\), the last one at ${at}: .*500\\. It is tried again by itself\\.$`),
        )
        .waitFor();
      await page.getByText(/^\d+ messages? attempted in the last minute$/).waitFor();
      await page.getByText('While its push fails, a message counts as attempted once a minute at most.').waitFor();
      await says(page, 'Order', 'as published');
      await says(page, 'Pushed again', 'after 0.01 s; after ten failures ever more rarely, up to 1 min');
      await finds(page.locator('dt', { hasText: /^(Last pull|Delivered again)$/ }), 0);
      await says(page, 'Delivery', 'messages are pushed');
      await says(page, 'Push to', `${receiver.url}?[secret]`);
      await says(page, 'Deadline', '1 min');
      await says(page, 'Filter', 'none: all messages of the topic');
      await page.getByRole('button', { name: 'Show as table' }).click();
      await shows(page.getByRole('table', { name: /^In and out/ }).getByRole('columnheader'), ['Time', 'published', 'attempted']);
      await page.goto('/console/messaging/remote/subscriptions/unverified');
      await page
        .getByText(new RegExp(`^none: nothing is pushed before the call .* succeeds\\. The subscription was created at ${at} \\(.*\\)\\.$`))
        .waitFor();
      await page.goto('/console/messaging/remote/subscriptions/chat');
      await says(page, 'Push to', 'Mattermost operations at chat.example');
      await finds(page.getByText('While its push fails'), 0);
      await page.goto('/console/messaging/monitoring/subscriptions/workers');
      await says(page, 'Delivery', 'consumers pull');
      await says(page, 'Delivered again', 'at once');
      await says(page, 'Dead letters', 'to lost after 5 attempts');
      await finds(page.locator('dd').getByRole('link', { name: 'lost', exact: true }), 1);
    }));

  it('counts what is pushed as attempts, and has backlog, age and the error of a push in view on a narrow page', () =>
    visits.at('/messaging/remote', operator, async (page) => {
      const table = page.getByRole('table', { name: 'Subscriptions' });
      await table.getByRole('cell', { name: /^[1-9]\d* attempted$/ }).waitFor();
      await page.setViewportSize({ width: 390, height: 800 });
      for (const name of ['Backlog', 'Oldest waiting']) {
        const box = await table.getByRole('columnheader', { name }).boundingBox();
        expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
      }
      const error = await table
        .getByRole('rowheader')
        .getByText(/^for \d.*: .*500/)
        .boundingBox();
      expect((error?.x ?? 390) + (error?.width ?? 0)).toBeLessThanOrEqual(390);
    }));

  it('shows the data of a dead letter to auditors only, in the form that they have', () =>
    visits.at('/messaging/monitoring/subscriptions/workers?tab=dead-letters', auditor, async (page) => {
      const columns = await textsOf(letters(page).getByRole('columnheader'));
      expect(columns.slice(0, 6)).toEqual(['Message', 'From', 'Attributes', 'Reason', 'Attempts', 'When']);
      await finds(page.getByRole('checkbox'), 0);
      await finds(page.getByRole('button', { name: /^Redrive/ }), 0);
      const row = letters(page).getByRole('row', { name: /not acknowledged in 5 attempts/ });
      await row.nth(2).getByRole('button', { name: 'Show data' }).click();
      await row.nth(2).getByText('"host": "h1"').waitFor();
      await row.nth(2).getByLabel('Form').selectOption('hex');
      await row.nth(2).getByText('7b 22 68').waitFor();
    }));

  it('redrives dead letters for operators: selected ones, then all, after it has asked', () =>
    visits.at('/messaging/monitoring/topics/lost', operator, async (page) => {
      await page.getByRole('tab', { name: 'Dead letters' }).click();
      await finds(letters(page).locator('tbody tr'), 3);
      await finds(page.getByRole('button', { name: 'Show data' }), 0);
      await shows(letters(page).getByRole('listitem').filter({ hasText: 'severity' }), [
        'severity hidden',
        'severity hidden',
        'severity hidden',
      ]);
      const selected = page.getByRole('button', { name: 'Redrive selected' });
      await becomes(() => selected.isDisabled(), true);
      await page.getByRole('checkbox', { name: 'Select 1', exact: true }).check();
      await selected.click();
      await page.getByRole('status').getByText('Redriven 1 message', { exact: true }).waitFor();
      const toAll = 'It was sent again to the topic that it came from: every subscription of that topic gets it, not only workers.';
      await page.getByRole('status').filter({ hasText: toAll }).waitFor();
      await letters(page).locator('tbody tr').nth(2).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Redrive all' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('2 messages will be published again').waitFor();
      await dialog.getByText('Every subscription of such a topic gets them again').waitFor();
      await dialog.getByRole('button', { name: 'Redrive 2 messages' }).click();
      await page.getByRole('status').getByText('Redriven 2 messages', { exact: true }).waitFor();
      await page.getByText('There are no dead letters.').waitFor();
      await page.getByRole('status').filter({ hasText: 'every subscription of such a topic gets them, not only workers.' }).waitFor();
      await page.getByRole('status').getByRole('link', { name: 'workers' }).click();
      await page.waitForURL('**/console/messaging/monitoring/subscriptions/workers');
      const { receivedMessages } = await post('/subscriptions/workers:pull', { maxMessages: '10' });
      expect(receivedMessages).toHaveLength(4);
    }));

  it('leads to all dead letters by `More`, and sends back an old one as well as all that are left', async () => {
    for (const topic of ['crowd', 'lost-crowd']) await put(`topics/${topic}`);
    await put('subscriptions/crowd', {
      ...{ topic: 'projects/monitoring/topics/crowd', ackMode: 'message', ackDeadlineSeconds: 600 },
      deadLetterPolicy: { deadLetterTopic: 'projects/monitoring/topics/lost-crowd', maxDeliveryAttempts: 5 },
      retryPolicy: { minimumBackoff: '0s', maximumBackoff: '0s' },
    });
    await post('/topics/crowd:publish', { messages: Array.from({ length: 120 }, (_, index) => ({ data: base64(`${index}`) })) });
    await bury('crowd', 120);
    await visits.at('/messaging/monitoring/subscriptions/crowd?tab=dead-letters', operator, async (page) => {
      const rows = letters(page).locator('tbody tr');
      const more = page.getByRole('button', { name: 'More' });
      await more.waitFor();
      await finds(rows, 100);
      await more.click();
      await rows.nth(119).waitFor();
      await more.waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: 'Select 0', exact: true }).check();
      await page.getByRole('button', { name: 'Redrive selected' }).click();
      await page.getByRole('status').getByText('Redriven 1 message', { exact: true }).waitFor();
      await finds(rows, 119);
      await page.getByRole('button', { name: 'Redrive all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Redrive 119 messages' }).click();
      await page.getByRole('status').getByText('Redriven 119 messages', { exact: true }).waitFor();
      await page.getByText('There are no dead letters.').waitFor();
    });
  });

  it('leads from a subscription to its topic only as long as it is there', async () => {
    await put('topics/gone');
    await put('subscriptions/left', { topic: 'projects/monitoring/topics/gone' });
    await scene.root.delete(`${MESSAGING}/topics/gone`, { key: SERVICE_TOKEN });
    await visits.at('/messaging/monitoring', operator, async (page) => {
      const row = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row', { name: /^left/ });
      await row.getByText('gone, which does not exist').waitFor();
      await finds(row.getByRole('link', { name: 'gone' }), 0);
      await page.getByRole('link', { name: 'alerts' }).first().waitFor();
    });
  });

  it('says of the subscriptions of a topic when there may be more', () =>
    visits.at('/messaging/monitoring', operator, async (page) => {
      const subscriptions = Array.from({ length: 100 }, (_, at) => `s${at}`);
      await page.route('**/ops/messaging/monitoring/topics/alerts', async (route) => {
        const answer = await (await route.fetch()).json();
        await route.fulfill({ json: { ...answer, subscriptions } });
      });
      await page.goto(`${scene.server.url}/console/messaging/monitoring/topics/alerts`);
      await says(page, 'Subscriptions', `${subscriptions.join(', ')} and perhaps older ones`);
    }));

  it('shows the past as names and settings, on record as few events', async () => {
    const before = await head();
    await visits.at(`/messaging/monitoring?as-of=${before}`, auditor, async (page) => {
      await page.getByRole('table', { name: 'Topics' }).getByRole('link', { name: 'lost', exact: true }).waitFor();
      await page.getByRole('table', { name: 'Subscriptions' }).getByRole('link', { name: 'workers' }).click();
      await says(page, 'Dead letters', 'to lost after 5 attempts');
      await says(page, 'Delivered again', 'at once');
      await says(page, 'Topic', 'alerts');
      await page.getByText('The past has names and settings. Figures are of now only.').waitFor();
      await page.getByRole('link', { name: 'Versions of this subscription' }).waitFor();
      await queried(page, 'as-of', before);
      await page.getByRole('link', { name: 'lost', exact: true }).click();
      await page.waitForURL('**/console/messaging/monitoring/topics/lost?as-of=*');
    });
    expect(await recordedBy(auditorId, before)).toEqual(['AsOfRead']);
  });

  it('shows the newest topics that a project had, how many there were, and more on demand', async () => {
    await scene.root.post('/v1/projects/broad', { key: SERVICE_TOKEN, body: {} });
    for (let topic = 0; topic < 101; topic += 1)
      await scene.root.put(`/v1/projects/broad/topics/t${topic}`, { key: SERVICE_TOKEN, body: {} });
    await visits.at(`/messaging/broad?as-of=${await head()}`, auditor, async (page) => {
      await page.getByText('The newest 100 of 101 are shown.').waitFor();
      const more = page.getByRole('button', { name: 'More' });
      await more.click();
      await page.getByRole('table', { name: 'Topics' }).locator('tbody tr').nth(100).waitFor();
      await finds(more, 0);
      await page.goto(`${scene.server.url}/console/messaging?tab=subscriptions&order=toString`);
      await page.getByRole('table', { name: 'Subscriptions of all projects' }).waitFor();
      await finds(page.getByRole('alert'), 0);
    });
  });
});
