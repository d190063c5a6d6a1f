import { expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, visiting } from './visiting.js';

const scene = serving(embedded);
const { at } = visiting(browsing(), () => scene.server.url);

describeInBrowser('a read behind a part of a view', () => {
  it.each([
    ['/integrity', '**/audit/keys'],
    ['/integrity', '**/ops/log'],
    ['/integrity', '**/health'],
    ['/operations', '**/audit/actors?*'],
    ['/projections/status.reports', '**/ops/projections/status.reports/skips'],
    ['/projections/status.reports', '**/ops/verifications'],
    ['/events?type=TenantRegistered', '**/audit/event-types'],
    ['/accounting?as-of=1', '**/audit/events?*'],
    ['/status?as-of=1', '**/audit/events?*'],
  ])('that fails is said in %s, of %s, and can be tried again', (path, read) =>
    at('', OPERATOR, async (page) => {
      await page.route(read, (route) => route.fulfill({ status: 500, json: { title: 'Failed', detail: 'for a test' } }));
      await page.goto(`${scene.server.url}/console${path}`);
      const alert = page.getByRole('alert').filter({ hasText: 'for a test' });
      await alert.waitFor();
      await finds(page.getByText('No event of the log has the type'), 0); // it is not known which ones it has
      await page.unrouteAll({ behavior: 'wait' });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
    }),
  );
});

describeInBrowser('the view of integrity', () => {
  it('says that the last anchor is too old while the server is down, too', () =>
    at('', OPERATOR, async (page) => {
      const finding = { kind: 'anchor-old', severity: 'warning', text: 'The last anchor is too old', figures: 'two days', todo: '' };
      await page.route('**/health', (route) => route.fulfill({ status: 503, json: { status: 'down', findings: [finding] } }));
      await page.goto(`${scene.server.url}/console/integrity`);
      await page.getByText(finding.text).waitFor();
      await page.getByText('two days Sign one below').waitFor();
    }));

  it('leads to anchors beyond the first thousand', () =>
    at('', OPERATOR, async (page) => {
      await page.route('**/audit/anchors?*', async (route) => {
        const query = new URL(route.request().url()).searchParams;
        const [limit, after] = [Number(query.get('limit')), Number(query.get('after') ?? 1_051)];
        const sizes = Array.from({ length: Math.min(limit, after - 1) }, (_, at) => after - 1 - at);
        const at = '2026-11-01T00:00:00Z';
        const items = sizes.map((size) => ({ size, time: at, signedAt: at, root: 'r', keyId: 'k', position: '1', signature: 's' }));
        await route.fulfill({ json: { items, next: sizes.at(-1) === 1 ? null : sizes.at(-1) } });
      });
      await page.goto(`${scene.server.url}/console/integrity`);
      const rows = page.getByRole('table', { name: 'Anchors, newest first' }).locator('tbody tr');
      const more = page.getByRole('button', { name: 'More' });
      for (const shown of [20, 100, 500]) {
        await becomes(() => rows.count(), shown);
        await more.click();
      }
      await becomes(() => rows.count(), 1_050);
      await finds(more, 0);
      expect(await rows.last().getByRole('rowheader').textContent()).toBe('1');
    }));
});
