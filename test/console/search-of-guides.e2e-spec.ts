import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { browsing, describeInBrowser } from './browser.js';
import { becomes, textsOf, titled } from './visiting.js';

const scene = serving(embedded);
const browser = browsing();

describeInBrowser('the search of the guides', () => {
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];
  const field = () => page.getByRole('searchbox', { name: 'Search' });
  const found = () => page.getByRole('main').getByRole('listitem');

  beforeAll(async () => {
    context = await browser.context();
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
  });
  afterAll(() => context?.close());

  it('finds a section by its heading, from any page, and leads to it', async () => {
    await page.goto(`${scene.server.url}/guides/operator`);
    await field().fill('publisher when it fails');
    await page.keyboard.press('Enter');
    await titled(page, 'Search · Logbook');
    const [first] = await textsOf(found());
    expect(first).toBe('When it fails · Publisher');
    await found().first().getByRole('link').click();
    await becomes(async () => page.url(), `${scene.server.url}/guides/publisher#when-it-fails`);
    await page.getByRole('heading', { name: 'When it fails' }).waitFor();
  });

  it('finds a call while its id is typed, and leads to its bodies', async () => {
    await page.goto(`${scene.server.url}/guides/search`);
    await field().pressSequentially('publishMesages');
    await found().filter({ hasText: 'publishMessages · Calls: messaging' }).getByRole('link').click();
    await becomes(async () => page.url(), `${scene.server.url}/guides/calls-messaging#publishmessages`);
    await page.locator('#publishmessages ~ p a').first().click();
    await page.locator('[id$="-publishMessages"] .opblock-body').waitFor();
  });

  it('says that it found nothing, and shows a query as text', async () => {
    await page.goto(`${scene.server.url}/guides/search?q=${encodeURIComponent('<b>zzzz</b>"qqqq')}`);
    await becomes(() => page.getByRole('status').textContent(), '0 sections');
    await becomes(() => field().inputValue(), '<b>zzzz</b>"qqqq');
  });

  it('breaks no policy of the pages', () => expect(errors).toEqual([]));
});
