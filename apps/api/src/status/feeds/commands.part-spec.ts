import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RegisterTenant } from '#api/status/tenants/commands.js';
import { FeedQueries } from '#projections/status/feeds/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import { SetDataFeed } from './commands.js';

let application: Application;
beforeAll(async () => {
  application = await openApplication({ LOGBOOK_FEEDS_DATA: 'open' });
});
afterAll(() => application?.close());

const register = async (name: string): Promise<string> => {
  const info = { name, email: '', description: '', image: '', website: '' };
  const tenant = { info, databases: [], topology: { type: '', feed: '' }, users: [] };
  return (await application.execute(new RegisterTenant(contextFor('status'), tenant))).id;
};
const setDataFeed = (...names: readonly string[]) =>
  application.execute(new SetDataFeed(contextFor('status'), { tenantId: 'caller', tenantNames: names }));
const dataFeed = () => application.get(FeedQueries).tenantsOfDataFeed('caller');

describe('Setting the data feed', () => {
  it('keeps the ids of the tenants in the order of their names', async () => {
    const [egi, eudat] = [await register('EGI'), await register('EUDAT')];
    await setDataFeed('EUDAT', 'EGI', 'EUDAT');
    expect(await dataFeed()).toEqual([eudat, egi, eudat]);
  });

  it('is refused with the first name that no tenant has, and changes nothing then', async () => {
    const before = await dataFeed();
    await expect(setDataFeed('EGI', 'gone', 'lost')).rejects.toMatchObject({ code: 'FEED_TENANT_NOT_FOUND', details: { name: 'gone' } });
    expect(await dataFeed()).toEqual(before);
  });

  it('is refused with more names than a feed may have', () =>
    expect(setDataFeed(...Array(101).fill('EGI'))).rejects.toMatchObject({ code: 'OVER_LIMIT' }));
});
