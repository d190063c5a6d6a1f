import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN, OPERATOR, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { flawsEverywhere } from './axe.js';
import { browsing, describeInBrowser } from './browser.js';
import { everyView } from './every-view.js';
import { dayBefore } from './month/caller.js';
import { fillMonth, type Month } from './month/month.js';
import { type MonthTenant, REPORT, TROUBLED } from './month/status.js';
import { Steps } from './steps.js';
import { onCommandLine, prepareTasks, rowOf, tasks } from './tasks.js';
import { becomes, callsOf, dropFile, finds, loaded, queried, shows, textsOf, untilDrawn, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

const scene = serving(withBackups);
const visits = visiting(browsing(), () => scene.server.url);
const { open, downloaded } = visits;
const now = Date.now();
let month: Month;
let auditor: string;

beforeAll(async () => {
  const target = { url: scene.server.url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
  month = await fillMonth(target, now);
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
  // After so much work on a busy machine the index of events may be behind, and calls for them are answered with 503.
  await eventually(() => scene.root.get('/audit/events', { key: auditor })).until(({ status }) => status === 200);
}, 600_000); // thousands of calls

const at = (path: string, act: (page: Page) => Promise<unknown>, key = auditor): Promise<void> => visits.at(path, key, act);

const said = (page: Page, text: string | RegExp): Promise<void> => page.getByRole('status').getByText(text).waitFor();
const rowsOf = (page: Page) => page.getByRole('table').first().locator('tbody tr');

describeInBrowser('the view of events', () => {
  it('searches by its fields with Enter, keeps the search in the address, and opens a row', () =>
    at('/events', async (page) => {
      await rowsOf(page).first().waitFor();
      await becomes(
        () => page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll'))"),
        0,
      );
      await page.getByLabel('Type').fill('TenantRegistered');
      await page.getByLabel('Service').fill('status');
      await page.getByLabel('Service').press('Enter');
      await page.waitForURL('**/console/events?type=TenantRegistered&service=status');
      await finds(rowsOf(page).filter({ hasText: 'TenantRegistered' }), 3);
      await finds(rowsOf(page), 3);
      await rowsOf(page).last().getByRole('cell').first().click();
      const panel = page.getByRole('region', { name: /^Event \d+$/ });
      await panel.getByText('"Alpine Grid"').waitFor();
      await panel.getByRole('link', { name: 'status tenant' }).click();
      await page.getByRole('heading', { level: 1, name: 'Resources' }).waitFor();
      await page.goBack();
      await page.reload();
      await page
        .getByRole('region', { name: /^Event \d+$/ })
        .getByText('"Alpine Grid"')
        .waitFor();
      await becomes(() => page.getByLabel('Type').inputValue(), 'TenantRegistered');
    }));

  it('says of a search that failed only that, and searches once more', () =>
    at('/events', async (page) => {
      await page.getByRole('row').nth(3).waitFor();
      await page.route('**/audit/events?*', (route) =>
        route.fulfill({ status: 503, json: { title: 'Service Unavailable', detail: 'behind' } }),
      );
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('behind').waitFor();
      await finds(page.getByText('No event passes'), 0);
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row').nth(3).waitFor();
    }));

  it('does not search for more types than a call takes', () =>
    at('/events', async (page) => {
      const types = Array.from({ length: 101 }, (_, index) => `Thing${index}`);
      await page.route('**/audit/event-types', (route) => route.fulfill({ json: { types, categories: [] } }));
      await page.route('**/audit/events?*', (route) =>
        route.fulfill({ status: 503, json: { title: 'Service Unavailable', detail: 'behind' } }),
      );
      const calls = callsOf(page);
      await page.goto(`${scene.server.url}/console/events`);
      await page.getByText('behind').waitFor();
      await page.getByLabel('Type').fill('thing');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/console/events?type=thing');
      await page.getByText('More than 100 types have this in their name: write more of it.').waitFor();
      await finds(page.getByText('behind'), 0);
      await untilDrawn(page);
      expect(calls.filter((call) => call.includes('type='))).toEqual([]);
      await finds(page.getByText('Loading …'), 0);
    }));

  it('shows newest first, more on demand, never more than 2,000 rows, and what is new while it follows', () =>
    at('/events', async (page) => {
      await page.getByRole('row').nth(100).waitFor();
      const indexes = async () => (await textsOf(rowsOf(page).locator('td:last-child'))).map(Number);
      const first = await indexes();
      expect(first).toEqual([...first].sort((one, other) => other - one));
      for (let count = first.length; count < 400; count = (await indexes()).length) {
        await page.getByRole('button', { name: 'More' }).scrollIntoViewIfNeeded();
        await page
          .getByRole('row')
          .nth(count + 2)
          .waitFor();
      }
      await page.getByRole('button', { name: 'Follow' }).click();
      await issueKey(scene.root, 'ops', 'auditor', 'followed');
      const [newest = 0] = first;
      // Others may come first: traffic of topics is recorded in its own time.
      const issued = rowsOf(page).filter({ hasText: 'AccessKeyIssued' }).first().locator('td').last();
      await becomes(async () => Number(await issued.textContent()) > newest, true);
    }));

  it('says what is wrong with a filter, in the words of the server, and does not offer to try the same again', () =>
    at('/events?service=nothing', async (page) => {
      const alert = page.getByRole('alert');
      await shows(alert, [expect.stringMatching(/service.*Request/)]);
      await finds(page.getByRole('button', { name: 'Try again' }), 0);
      await becomes(() => page.getByLabel('Service').inputValue(), 'nothing');
    }));

  it('goes by keyboard alone', () =>
    at('/events', async (page) => {
      await page.getByRole('row').nth(5).waitFor();
      await rowsOf(page).first().getByRole('link').focus();
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const third = await rowsOf(page).nth(2).locator('td').last().textContent();
      await page.getByRole('region', { name: `Event ${third}` }).waitFor();
      await becomes(() => page.evaluate('document.activeElement.tagName'), 'H2');
    }));
});

describeInBrowser('the view of resources', () => {
  it('finds a record by name, shows its versions, two side by side, and how it was', () =>
    at('/resources', async (page) => {
      await page.getByLabel('Service').selectOption('messaging');
      await page.getByLabel('Kind').selectOption('subscription');
      await page.getByLabel('Project').fill('monitoring');
      await page.getByLabel('Name').fill('alerts-r');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('link', { name: 'alerts-reader' }).click();
      await page.getByRole('heading', { name: 'Difference' }).waitFor();
      const difference = page.getByRole('region', { name: 'Difference' });
      await shows(difference.getByRole('deletion'), ['120']);
      await shows(difference.getByRole('insertion'), ['300']);
      await page.getByLabel('Before').selectOption('1');
      await difference.getByRole('deletion').getByText('30', { exact: true }).waitFor();
      await page.getByLabel('Version', { exact: true }).focus();
      await page.keyboard.press('Home');
      await said(page, /^Version 1: created by /);
      await page.getByLabel('As of').fill(new Date().toISOString());
      await page.getByLabel('As of').press('Enter');
      await said(page, /^Version 4: changed by /);
      await page.goBack();
      await said(page, /^Version 1: /);
      await page.getByRole('link', { name: 'The whole list at this time' }).click();
      await page.getByRole('link', { name: 'metric-data-reader' }).waitFor();
      // What came later was not there yet.
      await finds(page.getByRole('link', { name: 'alarm-desk' }), 0);
    }));

  it('shows who did what, and when last', () =>
    at('/actors', async (page) => {
      await page.getByLabel('Kind').selectOption('users');
      await page.getByRole('row', { name: /^LOGBOOK_ACCOUNTING_ADMIN_TOKEN user accounting/ }).waitFor();
      await page.getByText('A key of accounting acts as a user there: it is listed among the users.').waitFor();
      await page.getByLabel('Kind').selectOption('all');
      await page.getByRole('link', { name: 'LOGBOOK_STATUS_ADMIN_KEY' }).click();
      const changes = page.getByRole('list', { name: 'Changes', exact: true });
      await changes
        .getByText(/^LOGBOOK_STATUS_ADMIN_KEY \w+/)
        .first()
        .waitFor();
    }));
});

describeInBrowser('the view of integrity', () => {
  it('verifies the log, signs, and checks proofs without a request', () =>
    at('/integrity', async (page) => {
      await page.getByRole('button', { name: 'Verify now' }).click();
      await said(page, /^Intact: [\d,]+ events/);
      await page.getByRole('button', { name: 'Sign anchor now' }).click();
      await said(page, 'The newest anchor covers all');
      await page.locator('dl > div').filter({ hasText: 'Last anchor' }).getByRole('time').waitFor();
      await page.getByLabel('Event index').fill('3');
      const proof = await downloaded(page, () => page.getByRole('button', { name: 'Download proof' }).click());
      const keys = await downloaded(page, () => page.getByRole('button', { name: 'Download public keys' }).click());
      const note = await downloaded(page, () =>
        page
          .getByRole('button', { name: /^Download anchor/ })
          .first()
          .click(),
      );
      expect(await readFile(note, 'utf8')).toMatch(/^logbook\/.*\n\d+\n/);
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.getByLabel('Proof file').setInputFiles(proof);
      await said(page, "The proof holds, by this server's own key");
      await page.getByLabel('Public key').fill(await readFile(keys, 'utf8'));
      await page.getByText('The key is the one that was pasted.').waitFor();
      await said(page, /^The proof holds$/);
      const forged = join(visits.folder, 'forged.json');
      await writeFile(forged, (await readFile(proof, 'utf8')).replace('"type": "', '"type": "X'));
      await page.getByLabel('Proof file').setInputFiles(forged);
      await page.getByText('The proof does not hold').waitFor();
      await page.getByText('the event does not match its hash').waitFor();
      await page.getByLabel('Public key').fill('');
      await dropFile(page.getByRole('region', { name: 'Check a proof' }), proof);
      await said(page, "The proof holds, by this server's own key");
      expect(requests).toEqual([]);
    }));
});

describeInBrowser('the views of the services', () => {
  it('show messaging: topics, subscriptions with what waits, and a topic over the last hour', () =>
    at('/messaging', async (page) => {
      await page.getByRole('link', { name: 'monitoring' }).click();
      const reader = page.getByRole('table', { name: 'Subscriptions' }).getByRole('row', { name: /alerts-archive.* \/s/ });
      await shows(reader.getByRole('cell'), ['40', expect.stringMatching(/ago$|now/), 'pull', '–', '0', '0 /s', 'alerts']);
      const messages = [{ data: Buffer.from('while somebody looks').toString('base64') }];
      await scene.root.post('/v1/projects/monitoring/topics/alerts:publish', { key: SERVICE_TOKEN, body: { messages } });
      await reader.getByRole('cell', { name: '41', exact: true }).waitFor();
      await page.getByRole('row', { name: /alarm-desk.*not verified/ }).waitFor();
      await page.getByRole('row', { name: /^workers .*0 in not-taken .*alerts$/ }).waitFor();
      await page.getByRole('table', { name: 'Topics' }).getByRole('link', { name: 'metric-data', exact: true }).click();
      await page.getByRole('img', { name: /^Published in the last hour in messages in 5 minutes/ }).waitFor();
      await page.getByRole('button', { name: /^Show as table/ }).click();
      await page.getByRole('table', { name: /Published in the last hour/ }).waitFor();
    }));

  it('show accounting as table and chart, and hand it over as CSV', () =>
    at('/accounting', async (page) => {
      await page
        .getByRole('table', { name: /^Usage from/ })
        .getByRole('row')
        .nth(3)
        .waitFor();
      await page
        .getByRole('img', { name: /^cpu time, .*capacity/ })
        .first()
        .waitFor();
      const csv = await downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click());
      expect(await readFile(csv, 'utf8')).toMatch(/^project,provider,installation_id,/);
    }));

  it('show availability as a heat map, a day down to its metrics, and what a figure came from', () =>
    at('/status', async (page) => {
      const day = dayBefore(now, 14);
      const cell = page.getByRole('button', { name: new RegExp(`^${TROUBLED}, ${day}: availability [\\d.]+ %$`) });
      await cell.click();
      const opened = page.getByRole('region', { name: `${TROUBLED} on ${day}` });
      await opened
        .getByRole('img', { name: /^https: / })
        .first()
        .waitFor();
      await opened.getByRole('button', { name: 'Explain' }).click();
      const sum = opened.locator('dt', { hasText: /^Availability$/ }).locator('xpath=following-sibling::dd');
      const explained = /^100( − \d+(\.\d{1,2})? \(.+?: (down|scheduled downtime) \d\d:\d\d–\d\d:\d\d\))+ = \d+(\.\d{1,2})? %/;
      await shows(sum, [expect.stringMatching(explained)]);
      await opened.getByRole('table', { name: 'Configuration that was in force' }).getByText(`Report ${REPORT}`).waitFor();
      await opened
        .getByRole('table', { name: /^Points behind this figure/ })
        .getByRole('link')
        .first()
        .waitFor();
      await page.getByRole('tab', { name: 'Reliability' }).click();
      await page.getByRole('button', { name: new RegExp(`^${TROUBLED}, ${day}: reliability [\\d.]+ %$`) }).focus();
      await page.keyboard.press('ArrowRight');
      const next = page.locator(':focus');
      await becomes(() => next.getAttribute('aria-label'), expect.stringMatching(/^ALPINE-02, .*: reliability/));
      await queried(page, 'tenant', month.tenants[0]?.id);
    }));
});

describeInBrowser('every view', () => {
  it('is shown to whom it is for only', async () => {
    const operator = (await issueKey(scene.root, 'ops', 'operator')).key;
    const linksOf = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const audits = ['Overview', 'Changes', 'Events', 'Resources', 'Actors', 'Integrity', 'Messaging', 'Accounting', 'Status'];
    await at('/events', (page) => shows(linksOf(page), audits));
    const operates = ['Overview', 'Changes', 'Projections', 'Events', 'Integrity', 'Messaging', 'Status', 'Operations'];
    await at('/events', (page) => shows(linksOf(page), operates), operator);
    await at('/accounting', (page) => page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor(), operator);
    await at('/events', (page) => finds(linksOf(page), 11), OPERATOR);
  });
});

describeInBrowser('with an event that a read model cannot apply', () => {
  let tenant: MonthTenant;
  let known: Awaited<ReturnType<typeof prepareTasks>>;
  beforeAll(async () => {
    [tenant] = month.tenants as [MonthTenant];
    known = await prepareTasks(scene, tenant, now);
  });

  it('every view is accessible, fits its window, says nothing of its program, and comes in 150 KiB', async () => {
    const page = await open('', OPERATOR);
    const context = page.context();
    await (await context.newCDPSession(page)).send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes = new Map<string, number>();
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (/^\/console($|\/)/.test(path)) sizes.set(path, Number(response.headers()['content-length'] ?? 0));
    });
    const flaws: string[] = [];
    for (const { path, what, act } of everyView(tenant, now)) {
      sizes.clear();
      await page.setViewportSize({ width: 1_440, height: 900 });
      await page.goto(`/console${path}`);
      await loaded(page);
      await act?.(page);
      const found = [...(await flawsEverywhere(page))];
      const text = (await page.locator('main').textContent())?.match(/.{0,40}(undefined|NaN|\[object Object\])/);
      if (text) found.push(`it says ${text[0]}`);
      const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      if (bytes < 10 * 1024 || bytes > 150 * 1024) found.push(`${bytes} bytes`);
      flaws.push(...found.map((flaw) => `${path}${what ? `, ${what}` : ''}: ${flaw}`));
    }
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access key', { exact: true }).waitFor();
    flaws.push(...(await flawsEverywhere(page)).map((flaw) => `signed out: ${flaw}`));
    expect(flaws).toEqual([]);
    await context.close();
  }, 600_000); // thirty-six looks, each in several sizes

  it('tasks of operators and auditors take as many steps and events as docs/console/README.md says', async () => {
    const read = async <Answer>(path: string) => (await scene.root.get(path, { key: OPERATOR })).json as Answer;
    const head = async () => (await read<{ head: string }>('/ops/log')).head;
    type Item = Readonly<{ type: string; actor: Readonly<{ kind: string; id: string }> }>;
    // Traffic of topics and earlier reads of other keys are recorded in their own time, whatever is done meanwhile.
    const eventsAfter = async (position: string, keyId: string) => {
      const { items } = await read<{ items: readonly Item[] }>(`/audit/events?order=asc&after=${position}`);
      return items.filter(({ type, actor }) => type !== 'TrafficRecorded' && (actor.kind !== 'key' || actor.id === keyId)).length;
    };
    const readme = await readFile('docs/console/README.md', 'utf8');
    const rows: string[] = [];
    const keys: string[] = [];
    for (const task of tasks) {
      // With a key of its own, because reads of one key share events.
      const { id, key } = await issueKey(scene.root, 'ops', task.who);
      keys.push(key);
      // Before the page is opened: what it shows at first may be on record already, and is so once for a session.
      const before = await head();
      await at(
        '',
        async (page) => {
          await page.getByRole('region', { name: 'Log', exact: true }).waitFor();
          const steps = new Steps();
          await task.console({ page, steps, known: known[0] });
          const appended = Number(readme.split(`| ${task.what} |`)[1]?.split('|')[1]);
          // What records a read is appended after the answer.
          const events = await eventually(() => eventsAfter(before, id)).until((count) => !(count < appended));
          rows.push(rowOf(task, { steps: steps.count, events }));
        },
        key,
      );
    }
    // After all others, whose events are counted: a read of a command is recorded after its answer as well.
    for (const [at, task] of tasks.entries())
      await onCommandLine(task, { LOGBOOK_URL: scene.server.url, LOGBOOK_OPS_KEY: keys[at] ?? '' }, known[1], visits.folder);
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  }, 600_000); // some fifteen journeys
});
