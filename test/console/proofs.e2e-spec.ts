import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueKey, serving } from '#test/e2e/serving.js';
import { ADMIN } from '#test/support/deployments.js';
import { eventually, holds } from '#test/support/eventually.js';
import { registerTenant } from '#test/support/status-client.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, finds, shows, titled, visiting } from './visiting.js';
import { withBackups } from './with-backups.js';

const scene = serving(withBackups);
const visits = visiting(browsing(), () => scene.server.url);
const { at, downloaded } = visits;
let auditor: string;
let operator: string;

const OWN_KEY = "The proof holds, by this server's own key";
const said = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();

/** Statuses of answers from now on that are errors. */
const errorsOf = (page: Page): readonly string[] => {
  const errors: string[] = [];
  page.on('response', (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
  return errors;
};

beforeAll(async () => {
  auditor = (await issueKey(scene.root, 'ops', 'auditor')).key;
  operator = (await issueKey(scene.root, 'ops', 'operator')).key;
  await registerTenant(scene.status, ADMIN, 'alpine', ['admin']);
  await eventually(() => scene.root.get('/audit/events/0', { key: auditor })).until(({ status }) => status === 200);
});

describeInBrowser('the report of a proof', () => {
  it('is found from an event, offers to sign where no anchor covers it, and checks with the key of the server or of the user', () =>
    at('/events/0', auditor, async (page) => {
      const errors = errorsOf(page);
      await page.getByRole('link', { name: 'Proof report' }).click();
      await page.getByRole('heading', { level: 2, name: 'Proof of event 0' }).waitFor();
      await page.getByText('No anchor covers event 0 yet').waitFor();
      await shows(page.locator('main'), [expect.not.stringMatching(/POST|409|Conflict/)]);
      await page.getByRole('button', { name: 'Sign anchor now' }).click();
      await said(page, OWN_KEY);
      const verdict = page.getByRole('status');
      await shows(verdict, [expect.stringContaining('paste a public key that you received in another way')]);
      await becomes(() => page.evaluate('getComputedStyle(document.querySelector("[role=status]")).color'), 'rgb(131, 84, 0)');
      for (const name of ['Event', 'Checks', 'Anchor', 'Key']) await page.getByRole('heading', { level: 3, name, exact: true }).waitFor();
      const checks = page.getByRole('region', { name: 'Checks' }).getByRole('listitem');
      await finds(checks.getByText('holds', { exact: true }), 4);
      await page.getByRole('region', { name: 'Key' }).getByText("this server's own").waitFor();
      const { text } = await scene.root.get('/audit/keys', { key: auditor });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.getByLabel('Public key').fill(text);
      await said(page, 'The proof holds');
      await page.getByRole('region', { name: 'Key' }).getByText('yours', { exact: true }).waitFor();
      await page.getByLabel('Public key').fill('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
      await said(page, 'The proof does not hold');
      expect([requests, errors]).toEqual([[], []]);
    }));

  it('is printed black on white on one page of A4, without navigation, buttons and fields', () =>
    at('/integrity/proofs/0', auditor, async (page) => {
      await said(page, OWN_KEY);
      await page.evaluate('window.print = () => { document.title = "printed"; }');
      await page.getByRole('button', { name: 'Print' }).click();
      await titled(page, 'printed');
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.setViewportSize({ width: 673, height: 1_000 });
      for (const role of ['navigation', 'button', 'textbox'] as const) await finds(page.getByRole(role), 0);
      const look = '(() => { const { color, backgroundColor } = getComputedStyle(document.body); return [color, backgroundColor]; })()';
      await becomes(() => page.evaluate(look), ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
      await becomes(() => page.evaluate('document.documentElement.scrollWidth <= 673'), true);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    }));

  it('says that there is no such event', () =>
    at('/integrity/proofs/999999', auditor, async (page) => {
      await page.getByRole('alert').getByText('there is no event with this index').waitFor();
      await finds(page.getByRole('button', { name: 'Sign anchor now' }), 0);
    }));
});

describeInBrowser('the view of integrity', () => {
  it('is for operators to read: no answer refuses them, and no button signs or verifies', async () => {
    const newest = (await scene.root.get('/audit/anchors?order=desc&limit=1', { key: operator })).json as {
      items: { size: number; signedAt: string }[];
    };
    await at('', operator, async (page) => {
      const errors = errorsOf(page);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Integrity' }).click();
      await page.getByRole('button', { name: `Download anchor ${newest.items[0]?.size}` }).waitFor();
      await page.getByRole('columnheader', { name: 'Signed', exact: true }).waitFor();
      await page.locator(`time[datetime="${newest.items[0]?.signedAt}"]`).first().waitFor();
      for (const name of ['Verify now', 'Sign anchor now']) await finds(page.getByRole('button', { name }), 0);
      await page.getByLabel('Event index').fill('0');
      const proof = await downloaded(page, () => page.getByRole('button', { name: 'Download proof' }).click());
      await page.getByLabel('Proof file').setInputFiles(proof);
      await said(page, OWN_KEY);
      expect(JSON.parse(await readFile(proof, 'utf8'))).toMatchObject({ index: 0 });
      expect(errors).toEqual([]);
    });
    const refused = await Promise.all(['verifications', 'anchors'].map((path) => scene.root.post(`/audit/${path}`, { key: operator })));
    const cancelled = await scene.root.delete('/audit/verifications/1', { key: operator });
    expect([...refused, cancelled].map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it('has the download of an anchor in view at 1440 px', () =>
    at('/integrity', auditor, async (page) => {
      await page.setViewportSize({ width: 1_440, height: 900 });
      const button = page.getByRole('button', { name: /^Download anchor \d+$/ }).first();
      const table = page.getByRole('region', { name: /^Anchors, newest first/ });
      await holds(async () => {
        const [box, around] = [await button.boundingBox(), await table.boundingBox()];
        expect((box?.x ?? 0) + (box?.width ?? 9_999)).toBeLessThanOrEqual((around?.x ?? 0) + (around?.width ?? 0));
      });
    }));

  it('says that the last anchor is too old while the server is down, too', () =>
    at('', auditor, async (page) => {
      const finding = { kind: 'anchor-old', severity: 'warning', text: 'The last anchor is too old', figures: 'two days', todo: '' };
      await page.route('**/health', (route) => route.fulfill({ status: 503, json: { status: 'down', findings: [finding] } }));
      await page.goto(`${scene.server.url}/console/integrity`);
      await page.getByText(finding.text).waitFor();
      await page.getByText('two days Sign one below').waitFor();
    }));

  it('leads to anchors beyond the first thousand', () =>
    at('', auditor, async (page) => {
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
      await shows(rows.last().getByRole('rowheader'), ['1']);
    }));
});
