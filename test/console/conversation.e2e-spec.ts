import { beforeAll, expect, it } from '@jest/globals';
import { issueKey, serving } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { smallReport } from '#test/e2e/status/results/small-report.js';
import { eventually } from '#test/support/eventually.js';
import { idOf } from '#test/support/status-client.js';
import { browsing, describeInBrowser } from './browser.js';
import { finds, shows, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

type Event = Readonly<{ index: number; position: string; causationId: string }>;

const scene = serving(withBackups);
const { at } = visiting(browsing(), () => scene.server.url);
let auditor: string;
/** A recomputation is approved, running and done. */
let [approved, running, done]: readonly Event[] = [];

beforeAll(async () => {
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
  const tenant = await newTenant(scene.status);
  await smallReport(tenant, 'Small');
  const days = { start_time: '2015-01-10T06:00:00Z', end_time: '2015-01-10T06:59:59Z' };
  const asked = { requester_name: 'Ann', requester_email: 'ann@example.org', reason: 'power cut', report: 'Small', ...days };
  const id = idOf(await tenant.post('/recomputations', asked));
  await tenant.post(`/recomputations/${id}/status`, { status: 'approved' }, { headers: { 'x-correlation-id': 'approval' } });
  [approved, running, done] = await eventually(async () => {
    const { json } = await scene.root.get('/audit/events?correlation=approval', { key: auditor });
    return (json as { items?: readonly Event[] }).items ?? [];
  }).until(({ length }) => length === 3);
});

describeInBrowser('the page of an event', () => {
  it('leads to what caused it and to what it led to, and shows the whole conversation in order', () =>
    at(`/events/${running?.index}`, auditor, async (page) => {
      const inList = (name: string) => page.getByRole('list', { name, exact: true }).getByRole('listitem');
      await inList('Led to').getByText('The server completed the recomputation').waitFor();
      await finds(inList('Led to'), 1);
      await shows(inList('Conversation'), [
        expect.stringMatching(/ approved the recomputation/),
        expect.stringMatching(/^The server began the recomputation/),
        expect.stringMatching(/^The server completed the recomputation/),
      ]);
      await inList('Led to')
        .getByRole('link', { name: `Event ${done?.index}` })
        .click();
      await page.getByRole('region', { name: `Event ${done?.index}` }).waitFor();
      await page.getByRole('link', { name: /^The server began the recomputation/ }).click();
      await page.getByRole('region', { name: `Event ${running?.index}` }).waitFor();
      await page.getByRole('link', { name: / approved the recomputation/ }).click();
      await page.getByRole('region', { name: `Event ${approved?.index}` }).waitFor();
      await page.getByRole('link', { name: `request ${approved?.causationId}` }).click();
      await page.waitForURL(new RegExp(`\\?request=${approved?.causationId}$`));
      await page.getByText('1 event shown').waitFor();
    }));

  it('has in the past nothing that came later', () =>
    at('/events', auditor, async (page) => {
      const asOf: string[] = [];
      page.on('request', (request) => 'logbook-as-of' in request.headers() && asOf.push(request.url()));
      await page.goto(`/console/events/${running?.index}?as-of=${running?.position}`);
      await page.getByText('No event followed directly from it.').waitFor();
      await shows(page.getByRole('list', { name: 'Conversation', exact: true }).getByRole('listitem'), [
        expect.stringMatching(/ approved the recomputation/),
        expect.stringMatching(/^The server began the recomputation/),
      ]);
      expect(asOf).toEqual([]); // they need the history, and each would be on record
    }));

  it('has exactly what followed from it among the changes, as sentences', () =>
    at('/changes?kind=recomputation', auditor, async (page) => {
      const changes = page.getByRole('list', { name: 'Changes', exact: true }).getByRole('listitem');
      await changes
        .filter({ hasText: / approved the recomputation/ })
        .getByRole('button', { name: 'Effects' })
        .click();
      const effects = page.getByRole('region', { name: 'Effects' }).getByRole('listitem');
      await shows(effects, [expect.stringMatching(/^The server began the recomputation/)]);
      await effects.getByRole('link', { name: `Event ${running?.index}` }).click();
      await page.getByRole('region', { name: `Event ${running?.index}` }).waitFor();
    }));
});
