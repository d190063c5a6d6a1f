import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createProject, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { computedReport } from '#test/e2e/status/results/computed-report.js';
import { ADMIN, embedded, OPERATOR } from '#test/support/deployments.js';
import { registerTenant } from '#test/support/status-client.js';
import { runs } from '#test/support/test-runs.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, focused, loaded, queried, shows, untilDrawn, visiting } from './visiting.js';

const scene = serving(embedded, WITH_TOKEN);
const { at, open } = visiting(browsing(), () => scene.server.url);
let auditor: string;

beforeAll(async () => {
  await registerTenant(scene.status, ADMIN, 'Alpine Grid', ['admin']);
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
});

const main = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const past = (page: Page) => page.getByRole('region', { name: 'The past' });

describeInBrowser('going from view to view', () => {
  it('puts the focus on the heading, after signing in and between views', () =>
    at('/integrity', auditor, async (page) => {
      await focused(heading(page, 'Integrity'));
      await main(page, 'Events').click();
      await heading(page, 'Events').waitFor();
      await focused(heading(page, 'Events'));
      await page.getByLabel('Type').fill('TenantRegistered');
      await page.getByLabel('Type').press('Enter');
      await page.waitForURL(/type=TenantRegistered/);
      await focused(page.getByLabel('Type'));
    }));

  it('says that a view cannot be loaded, once and without a file name, and loads it again', async () => {
    const page = await open('/integrity', auditor);
    await page.context().setOffline(true);
    await main(page, 'Accounting').click();
    const alert = page.locator('main').getByRole('alert');
    await alert.getByText('A part of this page could not be loaded').waitFor();
    await untilDrawn(page);
    await shows(alert, [expect.not.stringMatching(/\.js|http|undefined/)]);
    await page.context().setOffline(false);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/^There are no projects yet\./).waitFor();
    await alert.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('says once that the connection is lost, however much waits for it, and tries all of it again', async () => {
    const page = await open('/operations', OPERATOR);
    await page.getByRole('button', { name: 'New signing key' }).waitFor();
    await main(page, 'Overview').click();
    await heading(page, 'Overview').waitFor();
    await page.context().setOffline(true);
    await main(page, 'Operations').click();
    const alert = page.locator('main').getByRole('alert');
    await alert.getByText('The server cannot be reached').waitFor();
    await loaded(page);
    await finds(alert, 1);
    await page.context().setOffline(false);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: /keys/i }).first().waitFor();
    await page.context().close();
  });
});

describeInBrowser('a server that cannot answer yet', () => {
  const BEHIND = { title: 'Service Unavailable', detail: 'the index is behind' };
  const note = (page: Page) => page.getByText('Not ready yet: the index is behind. The page asks again by itself.');
  const alert = (page: Page) => page.locator('main').getByRole('alert');
  /** Answers lists of events with 503, with these headers; a list that grows by one at each call. */
  const refuse = async (page: Page, headers: Readonly<Record<string, string>>) => {
    const calls: string[] = [];
    await page.route('**/audit/events?*', (route) => {
      calls.push(route.request().url());
      return route.fulfill({ status: 503, headers, json: BEHIND });
    });
    return calls;
  };

  it('is asked again after the time that it names, which the page says meanwhile', () =>
    at('/integrity', auditor, async (page) => {
      let calls = 0;
      let saw = () => {};
      const isSeen = new Promise<void>((resolve) => {
        saw = resolve;
      });
      await page.route('**/audit/events?*', async (route) => {
        calls += 1;
        if (calls > 1) await isSeen;
        return calls > 2 ? route.continue() : route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json: BEHIND });
      });
      await main(page, 'Events').click();
      await finds(note(page), 1);
      saw();
      await page.getByRole('row').nth(1).waitFor();
      await finds(note(page), 0);
      await finds(alert(page), 0);
    }));

  it.each([
    ['after some calls in vain', { 'retry-after': '0' }, 10],
    ['at once if it names a long time', { 'retry-after': '60' }, 1],
    ['at once if it names no time', {}, 1],
    ['at once if other nodes answer it', { 'retry-after': '0', 'logbook-elsewhere': 'history' }, 1],
  ] as const)('is an error with a button %s', (_, headers, most) =>
    at('/integrity', auditor, async (page) => {
      const calls = await refuse(page, headers);
      await main(page, 'Events').click();
      await alert(page).getByText('the index is behind').waitFor();
      expect(calls).toHaveLength(most);
      await page.unrouteAll({ behavior: 'wait' });
      await alert(page).getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row').nth(1).waitFor();
    }),
  );
});

/** Far more than there are options. */
const RECORDS = runs(1_000, 50);

describeInBrowser('going to a place by its name', () => {
  let operator: string;
  const field = (page: Page) => page.getByRole('combobox', { name: 'Go to' });
  const options = (page: Page) => page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
  const find = async (page: Page, text: string, option: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await field(page).fill(text);
    await page.getByRole('option', { name: option, exact: true }).waitFor();
  };

  beforeAll(async () => {
    operator = (await issueKey(scene.root, 'ops', 'operator')).key;
    const project = await createProject(scene, 'monitoring');
    await project.topic('jobs');
    for (let at = 0; at < RECORDS; at += 50)
      await Promise.all(Array.from({ length: 50 }, (_, one) => project.subscription(`reader-${at + one}`, 'jobs')));
    await project.subscription('workers', 'jobs');
  });

  it('finds views and records, goes by keys, and puts the focus on the heading', () =>
    at('/events', auditor, async (page) => {
      await page.keyboard.press('/');
      await focused(field(page));
      await shows(options(page).first(), ['Overview · view']);
      await page.keyboard.press('ArrowDown');
      await shows(page.getByRole('option', { selected: true }), ['Changes · view']);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByLabel('Type').press('/');
      await untilDrawn(page);
      await finds(page.getByRole('dialog'), 0);
      await find(page, 'workers', 'workers · subscription · monitoring');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/messaging\/monitoring\/subscriptions\/workers$/);
      await focused(heading(page, 'Messaging'));
      await find(page, 'alpine', 'Alpine Grid · tenant');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/status\?tenant=/);
      await find(page, 'integ', 'Integrity · view');
      await page.keyboard.press('Enter');
      await heading(page, 'Integrity').waitFor();
      await focused(heading(page, 'Integrity'));
      await find(page, '3', '3 · event');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/events\/3$/);
      const { id } = (await scene.root.get('/audit/events/2', { key: auditor })).json as { id: string };
      await find(page, id, `${id} · event`);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/events\/2$/);
      await page.locator('main').getByText(id).first().waitFor();
    }));

  it('opens an event by its position, if that is not the index of another one', async () => {
    const { items } = (await scene.root.get('/audit/events?limit=1&order=desc', { key: operator })).json as {
      items: readonly Readonly<{ index: number; position: string }>[];
    };
    const { index, position } = items[0] ?? { index: -1, position: '' };
    expect(Number(position)).toBeGreaterThan(index);
    await at('/changes', operator, async (page) => {
      await find(page, position, `${position} · event · at this position`);
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`/events/${index}$`));
    });
  });

  it('opens the events of a conversation that a client has named', async () => {
    const headers = { 'x-correlation-id': 'night run 42' };
    await scene.status.post('/admin/tenants', { key: ADMIN, headers, body: { info: { name: 'Elm Grid' } } });
    await scene.root.get('/audit/events?limit=1', { key: OPERATOR }); // answered once the index has the event
    await at('/changes', operator, async (page) => {
      await find(page, 'night run 42', 'night run 42 · conversation');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/events\?correlation=night(\+|%20)run(\+|%20)42$/);
      await page.locator('main').getByText('TenantRegistered').first().waitFor();
    });
  });

  it('opens the versions of a record by its id, and for operators its events', async () => {
    const { id } = await issueKey(scene.root, 'ops', 'auditor', 'for-reports');
    await scene.root.get('/audit/events?limit=1', { key: OPERATOR }); // answered once the index has the key
    for (const [key, address] of [
      [auditor, new RegExp(`/resources/ops/key/${id}$`)],
      [operator, new RegExp(`/events\\?record=ops%2Fkey%2F${id}$`)],
    ] as const)
      await at('/changes', key, async (page) => {
        await find(page, id, 'for-reports · ops key');
        await page.keyboard.press('Enter');
        await page.waitForURL(address);
        await page.locator('main').getByText('AccessKeyIssued').first().waitFor();
      });
  });

  it('opens the day of an endpoint group, by its name or that of a host', async () => {
    const key = 'Boreal Grid-admin';
    await registerTenant(scene.status, ADMIN, 'Boreal Grid', ['admin']);
    await computedReport({ post: (path, body, call) => scene.status.post(path, { key, body, ...call }) });
    await at('/changes', operator, async (page) => {
      for (const [text, option] of [
        ['site-a', 'SITE-A · group · Critical of Boreal Grid'],
        ['h1', 'h1 · host · SITE-A, Critical of Boreal Grid'],
      ] as const) {
        await find(page, text, option);
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/status\?tenant=.*&report=Critical&group=SITE-A$/);
        await page.getByRole('region', { name: /^SITE-A on \d{4}-\d\d-\d\d$/ }).waitFor();
        await main(page, 'Changes').click();
        await heading(page, 'Changes').waitFor();
      }
    });
  });

  it('goes to what the server is about to find', () =>
    at('/events', auditor, async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('workers');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/messaging\/monitoring\/subscriptions\/workers$/);
    }));

  it('offers at most 20 options, asked for within 100 ms of the last key, and none that the role cannot open', () =>
    at('/events', operator, async (page) => {
      await page.keyboard.press('Control+k');
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 3_600_000);
      await field(page).pressSequentially('reader');
      await page.clock.runFor(100);
      await options(page).first().waitFor();
      await page.clock.resume();
      await page.waitForFunction("document.querySelectorAll('[role=option]').length === 20");
      await field(page).fill('resources');
      await page.getByText(/^Nothing has this name, index, position or id\. A refused request has left no event\./).waitFor();
      await finds(options(page), 0);
    }));
});

describeInBrowser('the past', () => {
  it('stays while one moves between views, until one goes back to now', () =>
    at('/events', auditor, async (page) => {
      await finds(past(page), 0);
      const field = page.getByLabel('As of', { exact: true });
      await field.fill('2026-02-30');
      await field.press('Enter');
      await page.getByText('Write a day, a time or a position').waitFor();
      await field.fill('2020-11-20 12:00');
      await field.press('Enter');
      await past(page).getByText('You see 2020-11-20 12:00:00 UTC').waitFor();
      await queried(page, 'as-of', '2020-11-20T12:00:00Z');
      await main(page, 'Integrity').click();
      await heading(page, 'Integrity').waitFor();
      await past(page).getByText('now', { exact: true }).waitFor();
      await finds(page.getByLabel('As of', { exact: true }), 0);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('resources');
      await page.keyboard.press('Enter');
      await heading(page, 'Resources').waitFor();
      await past(page).getByText('You see 2020-11-20 12:00:00 UTC').waitFor();
      await becomes(() => field.inputValue(), '2020-11-20 12:00');
      await page.reload();
      await past(page).getByRole('button', { name: 'Back to now' }).click();
      await past(page).waitFor({ state: 'detached' });
      await queried(page, 'as-of', null);
    }));

  it('is an event or an instant: nothing that came later is shown, nothing live, and no day that there is not', () =>
    at('/events', auditor, async (page) => {
      const field = page.getByLabel('As of', { exact: true });
      const rows = page.getByRole('table').first().locator('tbody tr');
      await rows.nth(5).waitFor();
      const { position, time } = (await scene.root.get('/audit/events/2', { key: auditor })).json as { position: string; time: string };
      await field.fill(position);
      await field.press('Enter');
      const moment = `${time.replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC (position ${position})`;
      await past(page).getByText(`You see ${moment}`).waitFor();
      await page.getByText('3 events shown').waitFor();
      await finds(page.getByRole('button', { name: 'Follow' }), 0);
      await main(page, 'Actors').click();
      await past(page).getByText(`You see now: the view Actors has no past. Other views show ${moment}.`).waitFor();
      await main(page, 'Events').click();
      await field.fill('2020-11-20');
      await field.press('Enter');
      await past(page).getByText('You see 2020-11-20 00:00:00 UTC').waitFor();
      await page.getByText('No event passes these filters.').waitFor();
      await field.fill('2999-01-01');
      await field.press('Enter');
      await page.getByText('This time is in the future.').waitFor();
      await field.fill('');
      await field.press('Enter');
      await past(page).waitFor({ state: 'detached' });
    }));

  it('is that of records, too', () =>
    at('/resources?service=status&kind=tenant', auditor, async (page) => {
      await page.getByRole('link', { name: 'Alpine Grid' }).waitFor();
      const field = page.getByLabel('As of', { exact: true });
      await finds(field, 1);
      await field.fill('2020-11-20');
      await field.press('Enter');
      await page.getByText('No record has such a name.').waitFor();
      for (const [view, text] of [
        ['Status', 'There was no tenant yet.'],
        ['Accounting', 'There was no project yet.'],
      ] as const) {
        await main(page, view).click();
        await page.locator('main').getByText(text).waitFor();
        await past(page)
          .getByText(/^The log begins at .* UTC: nothing was recorded before\.$/)
          .waitFor();
      }
      const tenant = new URLSearchParams({
        tenant: '6ac7d684-1f8e-4a02-a502-720e8f11e50b',
        report: 'Critical',
        'as-of': '2020-11-20T00:00:00Z',
      });
      await page.goto(`${scene.server.url}/console/status?${tenant}`);
      await page.locator('main').getByText('There was no tenant yet.').waitFor();
      await page.goto(`${scene.server.url}/console/accounting?project=alpine-grid&as-of=2020-11-20T00:00:00Z`);
      await page.locator('main').getByText('The project was not there yet.').waitFor();
      await page.goto(`${scene.server.url}/console/resources?service=ops&kind=key&as-of=2020-11-20T00:00:00Z`);
      await page.locator('main').getByText('There is no list of the past of this kind.').waitFor();
      await finds(page.getByRole('alert'), 0);
    }));

  it('is not for operators, whom the page says at an address of the past that they see now', async () => {
    const { key } = await issueKey(scene.root, 'ops', 'operator');
    await at('/events?as-of=2020-11-20T12:00:00Z', key, async (page) => {
      await finds(page.getByLabel('As of', { exact: true }), 0);
      const note = page.getByText('You see now: the past is for auditors.');
      await note.waitFor();
      await finds(past(page), 0);
      await main(page, 'Messaging').click();
      await heading(page, 'Messaging').waitFor();
      await note.waitFor();
      await page.getByRole('button', { name: 'Back to now' }).click();
      await note.waitFor({ state: 'detached' });
      await queried(page, 'as-of', null);
    });
  });
});
