import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { counted } from '#domain/shared/text/figures.js';
import { dayBefore } from '#domain/shared/time.js';
import { issueKey, serving } from '#test/e2e/serving.js';
import { onOneDay } from '#test/support/clocks/one-day.js';
import { ADMIN, embedded, SERVICE_TOKEN, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { together } from './month/caller.js';
import { addTenants, type MonthTenant, REPORT, TROUBLED } from './month/status.js';
import { becomes, finds, queried, shows, textsOf, untilDrawn, visiting } from './visiting.js';

const scene = serving(embedded);
const now = Date.now();
const { at, open } = visiting(browsing(), () => scene.server.url, now);
/** Fewer than for pictures: every site has each service once. */
const ENDPOINTS_OF_A_SITE = 3;
/** Beyond every figure: groups of which nothing is known come last. */
const UNKNOWN_LAST = 101;
let tenants: readonly MonthTenant[];
let operator: string;

beforeAll(async () => {
  const { url } = scene.server;
  const target = { url, statusKey: ADMIN, messagingKey: SERVICE_TOKEN, accountingToken: SYSTEM_ADMIN };
  tenants = await addTenants(target, now, ENDPOINTS_OF_A_SITE);
  await together(tenants, async ({ measured, changes }) => {
    await measured(now);
    for (const { work } of changes) await work();
  });
  operator = (await issueKey(scene.root, 'ops', 'operator')).key;
});

const dayAgo = (days: number, from = now): string => new Date(from - days * 86_400_000).toISOString().slice(0, 10);
const [TODAY, BAD_DAY] = [dayAgo(0), dayAgo(14)];
const cell = (page: Page, group: string, day: string) => page.getByRole('button', { name: new RegExp(`^${group}, ${day}: `) });
const tooltip = (page: Page) => page.getByRole('tooltip');
const rowNames = (page: Page) => page.getByRole('rowheader');
const columns = (page: Page) => page.getByRole('columnheader');
const opened = (page: Page) => page.getByRole('region', { name: `${TROUBLED} on ${BAD_DAY}` });

/** A point leads to its event, and there to its own result. */
const leadsToItsResult = async (page: Page): Promise<void> => {
  const points = opened(page)
    .getByRole('table', { name: /^Points behind this figure/ })
    .getByRole('row');
  const point = points.nth(1);
  const place = await point.getByRole('cell').first().textContent();
  const [at] = ((await point.getByRole('rowheader').textContent()) ?? '').split(' UTC');
  const [host] = ((await point.getByRole('cell').nth(2).textContent()) ?? '').split(' (');
  await point.getByRole('link').click();
  const result = page.getByRole('region', { name: `Result ${place}`, exact: true });
  await result.getByRole('heading', { name: `on ${host}, ${at} UTC` }).waitFor();
  await page.goBack();
  await opened(page).getByRole('columnheader', { name: 'Arrived' }).waitFor();
};

describeInBrowser('the heat map of groups', () => {
  it('is shown to operators, as of now, with a column for each month and a sum that explains a day', () =>
    onOneDay((today) =>
      at('/status', operator, async (page) => {
        await cell(page, TROUBLED, BAD_DAY).waitFor();
        await finds(page.getByLabel('As of', { exact: true }), 0);
        const days = Array.from({ length: 30 }, (_, at) => dayAgo(29 - at, Date.parse(today)));
        const months = [...new Set(days.map((day) => day.slice(0, 7)))];
        await shows(columns(page), ['Group', ...days, ...months]);
        const row = page.getByRole('row', { name: new RegExp(`^${TROUBLED}`) });
        await shows(row.getByRole('cell').last(), [expect.stringMatching(/^\d+(\.\d{1,2})? %$/)]);
        const [, whole] = /: availability (\d+)/.exec((await cell(page, TROUBLED, BAD_DAY).getAttribute('aria-label')) ?? '') ?? [];
        await shows(cell(page, TROUBLED, BAD_DAY), [whole]);
        await cell(page, TROUBLED, BAD_DAY).click();
        await opened(page).getByRole('button', { name: 'Explain' }).click();
        const sum = opened(page).locator('dl').first().locator('dt, dd');
        const explained = ['Availability', expect.stringMatching(/^100 − .+ = [\d.]+ %/), 'Reliability'];
        await becomes(async () => (await sum.allTextContents()).slice(0, 3), explained);
        await shows(page.locator('main'), [expect.not.stringMatching(/undefined|NaN|null|\[object|\d\.\d{3,}/)]);
        await queried(page, 'tenant', tenants[0]?.id);
        const { items } = (await scene.root.get('/audit/events?type=AsOfRead', { key: operator })).json as { items: readonly object[] };
        expect(items).toEqual([]);
        await leadsToItsResult(page);
      }),
    ));

  it('says that data arrived late, and lets operators ask the tenant for a recomputation', () =>
    at(
      `/status?${new URLSearchParams({ tenant: tenants[0]?.id ?? '', report: REPORT, group: TROUBLED, day: BAD_DAY })}`,
      operator,
      async (page) => {
        await opened(page)
          .getByText(/^[\d,]+ points of this day arrived after it had ended, the last one at .* UTC\. The figures include them\.$/)
          .waitFor();
        await opened(page).getByRole('button', { name: 'Explain' }).click();
        await opened(page).getByRole('columnheader', { name: 'Arrived' }).waitFor();
        await opened(page)
          .getByRole('row', { name: `Report ${REPORT} its last change` })
          .waitFor();
        await leadsToItsResult(page);
        await opened(page).getByRole('button', { name: 'Ask for a recomputation' }).click();
        await page.getByRole('dialog').getByLabel('Reason').fill('sent a day late');
        await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
        await page.getByRole('status').getByText(`Asked for a recomputation of ${REPORT} on ${BAD_DAY}.`).waitFor();
        await page.reload();
        await opened(page).getByText('“sent a day late”. It waits until the tenant has approved or rejected it.').waitFor();
        await opened(page).getByRole('region', { name: 'Explanation' }).waitFor();
        await finds(opened(page).getByRole('button', { name: 'Ask for a recomputation' }), 0);
        const body = {
          tenant: tenants[0]?.id,
          report: 'no such report',
          from: '2026-03-01T00:00:00Z',
          to: '2026-03-01T00:00:00Z',
          reason: 'x',
        };
        const ask = (more: object, key: string) => scene.root.post('/ops/results/recomputations', { key, body: { ...body, ...more } });
        expect((await ask({}, operator)).status).toBe(404);
        expect((await ask({ report: REPORT, from: '2026-03-02T00:00:00Z' }, operator)).status).toBe(400);
        const { key: auditor } = await issueKey(scene.root, 'ops', 'auditor');
        expect((await ask({ report: REPORT }, auditor)).status).toBe(403);
        const { json } = await scene.root.get('/audit/changes?kind=recomputation&limit=1', { key: operator });
        expect(json).toMatchObject({
          items: [{ sentence: `operator asked for the recomputation of the report ${REPORT} in ${tenants[0]?.name}` }],
        });
      },
    ));

  it('offers no recomputation while it is not known whether one is open', () =>
    at('/status', operator, async (page) => {
      await page.route('**/ops/results/recomputations?*', (route) => route.fulfill({ status: 500, json: { title: 'Failed' } }));
      const query = new URLSearchParams({ tenant: tenants[0]?.id ?? '', report: REPORT, group: TROUBLED, day: BAD_DAY });
      await page.goto(`${scene.server.url}/console/status?${query}`);
      await opened(page)
        .getByText(/points of this day arrived after it had ended/)
        .waitFor();
      const again = opened(page).getByRole('alert').getByRole('button', { name: 'Try again' });
      await again.waitFor();
      await finds(opened(page).getByRole('button', { name: 'Ask for a recomputation' }), 0);
      await page.unrouteAll({ behavior: 'wait' });
      await again.click();
      await opened(page).getByText('“sent a day late”').waitFor();
    }));

  it('marks days whose data arrived late, on the overview, too, with the way to a recomputation of each', async () => {
    await at('/status', operator, async (page) => {
      await cell(page, TROUBLED, BAD_DAY).waitFor();
      await finds(page.getByRole('columnheader', { name: `${BAD_DAY}, late data` }), 1);
      await finds(page.getByRole('columnheader', { name: TODAY, exact: true }), 1);
      await page.getByText(/^Data of \d+ days arrived late/).click();
      const late = page.getByRole('list', { name: 'Late data' }).getByRole('listitem');
      await late
        .filter({ hasText: BAD_DAY })
        .getByText('“sent a day late”. It waits until the tenant has approved or rejected it.')
        .waitFor();
      const other = late.filter({ hasText: dayAgo(13) });
      await other.getByRole('button', { name: `Ask for a recomputation of ${dayAgo(13)}` }).click();
      await page.getByRole('dialog').getByLabel('Reason').fill('late as well');
      await page.getByRole('dialog').getByRole('button', { name: 'Ask', exact: true }).click();
      await other.getByText('“late as well”').waitFor();
      const ofAll = page
        .getByRole('region', { name: 'Late data' })
        .getByRole('listitem')
        .filter({ hasText: tenants[0]?.name ?? '' });
      await finds(ofAll, 1);
      await ofAll.getByText(new RegExp(`${dayAgo(4)}, ${dayAgo(3)}.*; the last point arrived at .* UTC$`)).waitFor();
      await ofAll.getByRole('link').click();
      await queried(page, 'report', REPORT);
      await page.getByRole('columnheader', { name: `${dayAgo(4)}, late data` }).waitFor();
      await finds(page.getByRole('columnheader', { name: BAD_DAY }), 0);
    });
    type Late = Readonly<{ day: string; tenant: Readonly<{ id: string }> }>;
    const { late } = (await scene.root.get('/ops/groups', { key: operator })).json as { late: readonly Late[] };
    const [days, of] = [new Set(late.map(({ day }) => day)), new Set(late.map(({ tenant }) => tenant.id))];
    await at('', operator, (page) =>
      page
        .getByRole('region', { name: 'Status', exact: true })
        .getByText(`late data of ${counted(days.size, 'day')}, ${counted(of.size, 'tenant')}`)
        .waitFor(),
    );
  });

  it('lists the pending recomputation among the jobs, with the key that asked for it, and says that backups cannot be made', async () => {
    const page = await open('/operations', operator, { viewport: { width: 390, height: 844 } });
    const job = page
      .getByRole('table', { name: 'Jobs' })
      .getByRole('row', { name: `Recomputation of ${REPORT}, ${BAD_DAY} to ${BAD_DAY}` });
    await job.getByText(`in ${tenants[0]?.name}, asked for by operator`).waitFor();
    await job.getByText('pending', { exact: true }).waitFor();
    await job.getByText(/^waits for approval by the tenant since .* UTC$/).waitFor();
    await page.getByText('A backup cannot be made here: no directory for backups is configured (LOGBOOK_BACKUP_DIR).').waitFor();
    await finds(page.getByRole('button', { name: 'Back up now' }), 0);
    await becomes(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    await job.getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/events\?record=status%2Frecomputation%2F/);
    await page.getByRole('link', { name: 'RecomputationRequested' }).waitFor();
    await page.context().close();
  });

  it('has the worst group first or groups by name, and those whose name has a text', () =>
    at('/status', operator, async (page) => {
      await cell(page, TROUBLED, BAD_DAY).waitFor();
      const months = page.getByRole('cell').filter({ hasText: /%|unknown/ });
      const figures = (await textsOf(months)).map((text) => (text === 'unknown' ? UNKNOWN_LAST : Number.parseFloat(text)));
      const names = await textsOf(rowNames(page));
      const each = figures.length / names.length;
      const worst = names.map((_, row) => Math.min(...figures.slice(row * each, (row + 1) * each)));
      expect(worst).toEqual([...worst].sort((one, other) => one - other));
      expect(names).not.toEqual([...names].sort());
      await page.getByLabel('Order').selectOption('by name');
      await becomes(async () => (await rowNames(page).allTextContents()).slice(0, 3), ['ALPINE-01', 'ALPINE-02', 'ALPINE-03']);
      await page.getByLabel('Group', { exact: true }).fill('-02');
      await shows(rowNames(page), [TROUBLED]);
      await page.getByLabel('Group', { exact: true }).fill('x');
      await page.getByText('No group has this in its name.').waitFor();
    }));

  it('opens by itself in the past, too, and says that the figures of a day are those of its time so far', () =>
    onOneDay(async (today) => {
      const { key } = await issueKey(scene.root, 'ops', 'auditor');
      const { head } = (await scene.root.get('/ops/log', { key: operator })).json as { head: string };
      await at(`/messaging?as-of=${head}`, key, async (page) => {
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Status', exact: true }).click();
        await cell(page, TROUBLED, today).click();
        const day = page.getByRole('region', { name: `${TROUBLED} on ${today}` });
        await day.getByText(/^Availability .*, reliability .* of the day so far \(\d+ .*\)/).waitFor();
        await day.getByRole('button', { name: 'Explain' }).click();
        await day
          .getByText(/^\d+(\.\d+)? % of the day so far \(\d+ .*\)$/)
          .first()
          .waitFor();
      });
    }));

  it('begins with the newest day on a narrow page, where the first tap shows the figure and the second the day', () =>
    onOneDay(async (today) => {
      const page = await open('/status', operator, { viewport: { width: 390, height: 844 }, hasTouch: true });
      const bad = cell(page, TROUBLED, BAD_DAY);
      await bad.waitFor();
      await becomes(async () => (await columns(page).allTextContents()).slice(0, 3), ['Group', today, dayBefore(today)]);
      await bad.tap();
      await tooltip(page).getByText(`${TROUBLED} · ${BAD_DAY}`).waitFor();
      await untilDrawn(page);
      await finds(opened(page), 0);
      await bad.tap();
      await opened(page).waitFor();
      await becomes(() => page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
      await page.context().close();
    }));

  it.each(['light', 'dark'] as const)(
    'has shades whose lightness goes one way from the worst to the best, and hatches what is unknown: %s',
    async (colorScheme) => {
      const page = await open('/status', operator, { colorScheme });
      await cell(page, TROUBLED, BAD_DAY).waitFor();
      const styles = `[...document.querySelectorAll('.legend .heat')].map((one) => getComputedStyle(one)).map(({ backgroundColor, backgroundImage }) => [backgroundColor, backgroundImage])`;
      const shades = await page.evaluate<readonly (readonly [colour: string, image: string])[]>(styles);
      const lightness = shades.slice(0, 5).map(([colour]) => {
        const [red = 0, green = 0, blue = 0] = colour.match(/\d+/g)?.map(Number) ?? [];
        return 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2;
      });
      const ascending = [...lightness].sort((one, other) => one - other);
      expect(lightness).toEqual(colorScheme === 'dark' ? ascending : ascending.reverse());
      expect(shades[5]?.[1]).toMatch(/^repeating-linear-gradient/);
      await page.context().close();
    },
  );
});
