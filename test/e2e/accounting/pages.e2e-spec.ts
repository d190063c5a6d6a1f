import { beforeAll, describe, expect, it } from '@jest/globals';
import { embedded } from '#test/support/deployments.js';
import { accountingServing, expectMessage, FORBIDDEN, OBJECT_ID, pageIn } from './serving.js';

const ENTITLEMENTS = '/admin/entitlements';

describe('pages of lists', () => {
  const scene = accountingServing(embedded);
  const total = 23;
  const link = (page: number, size: number, rest = '') =>
    `${scene.server.url}/accounting-system/admin/actors/${holder}/entitlements?page=${page}&size=${size}${rest}`;
  const page = async (query: string) => pageIn(await scene.admin.get(`/admin/actors/${holder}/entitlements${query}`));
  let holder: string;

  beforeAll(async () => {
    await (await scene.caller('holder of many')).post('/clients');
    const actors = pageIn(await scene.admin.get('/admin/actors?size=100')).content;
    holder = String(actors.find(({ oidc_id }) => oidc_id === 'holder of many')?.id);
    for (let index = 1; index <= total; index++) {
      const { id } = (await scene.admin.post(ENTITLEMENTS, { name: `paged ${index}` })).json as { id: string };
      expect((await scene.admin.post(`${ENTITLEMENTS}/${id}/assign/${holder}`)).status).toBe(200);
    }
  });

  it.each<[query: string, first: number, last: number, links: string]>([
    ['', 1, 10, 'first 1, last 3, self 1, next 2'],
    ['?page=1', 1, 10, 'first 1, last 3, self 1, next 2'],
    ['?page=2&size=10', 11, 20, 'first 1, last 3, self 2, prev 1, next 3'],
    ['?page=3&size=10', 21, 23, 'first 1, last 3, self 3, prev 2'],
    ['?page=4&size=10', 0, 0, ''],
    ['?page=2147483647&size=10', 0, 0, ''],
    ['?page=2&size=20', 21, 23, 'first 1, last 2, self 2, prev 1'],
    ['?size=1', 1, 1, 'first 1, last 23, self 1, next 2'],
    ['?size=23', 1, 23, ''],
    ['?size=100', 1, 23, ''],
  ])('%s', async (query, first, last, links) => {
    const parameters = new URLSearchParams(query);
    const [number, size] = [Number(parameters.get('page') ?? 1), Number(parameters.get('size') ?? 10)];
    const found = await page(query);
    const names = first === 0 ? [] : Array.from({ length: last - first + 1 }, (_, index) => `paged ${first + index}`);
    expect(Object.keys(found)).toEqual(['size_of_page', 'number_of_page', 'total_elements', 'total_pages', 'content', 'links']);
    expect({ ...found, content: found.content.map(({ name }) => name) }).toEqual({
      size_of_page: names.length,
      number_of_page: number,
      total_elements: total,
      total_pages: Math.ceil(total / size),
      content: names,
      links: [...links.matchAll(/(\w+) (\d+)/g)].map(([, rel, to]) => ({ href: link(Number(to), size), rel })),
    });
  });

  it('keeps every other parameter in its links, as it was sent', async () => {
    const { links } = await page('?start=2031-01-01&size=10&externalId=a%20b%26c&page=2&x');
    expect(links[2]).toEqual({ href: link(2, 10, '&start=2031-01-01&externalId=a%20b%26c&x'), rel: 'self' });
  });

  it('follows its own links to every element once', async () => {
    const names: unknown[] = [];
    for (let next: string | undefined = link(1, 7); next; ) {
      const { pathname, search } = new URL(next);
      const found = pageIn(await scene.admin.get(pathname.replace('/accounting-system', '') + search));
      names.push(...found.content.map(({ name }) => name));
      next = found.links.find(({ rel }) => rel === 'next')?.href;
    }
    expect(names).toEqual(Array.from({ length: total }, (_, index) => `paged ${index + 1}`));
  });

  it.each([
    ['?page=0', 'Page number must be >= 1.'],
    ['?page=-1', 'Page number must be >= 1.'],
    ['?page=abc', 'Page number must be >= 1.'],
    ['?page=1.5', 'Page number must be >= 1.'],
    ['?page=', 'Page number must be >= 1.'],
    ['?page=99999999999', 'Page number must be >= 1.'],
    ['?page=2147483648', 'Page number must be >= 1.'],
    ['?page=0&size=0', 'Page number must be >= 1.'],
    ['?size=0', 'Page size must be between 1 and 100.'],
    ['?size=-5', 'Page size must be between 1 and 100.'],
    ['?size=101', 'Page size must be between 1 and 100.'],
    ['?size=ten', 'Page size must be between 1 and 100.'],
    ['?size=', 'Page size must be between 1 and 100.'],
  ])('%s is refused', async (query, message) => {
    for (const path of [`/admin/actors/${holder}/entitlements`, '/admin/actors', '/clients/me', '/admin/settings/metadata'])
      expectMessage(await scene.admin.get(path + query), 400, message);
  });

  it('says 403 before it looks at parameters', async () =>
    expectMessage(await (await scene.caller('nobody')).get('/admin/actors?page=0'), 403, FORBIDDEN));
});

describe('the public URL', () => {
  const scene = accountingServing(embedded, { LOGBOOK_PUBLIC_URL: 'https://logbook.example.org/base/' });

  it('starts links and locations, whatever host the caller used', async () => {
    const headers = { host: 'other.example.org', 'x-forwarded-proto': 'http' };
    const created = await Promise.all(['a', 'b'].map((name) => scene.admin.post(ENTITLEMENTS, { name }, { headers })));
    for (const { headers: sent, json } of created) {
      const { id } = json as { id: string };
      expect(id).toMatch(OBJECT_ID);
      expect(sent.get('location')).toBe(`https://logbook.example.org/base/accounting-system/admin/entitlements/${id}`);
    }
    const { links } = pageIn(await scene.admin.get(`${ENTITLEMENTS}?size=1`, { headers }));
    expect(links[0]?.href).toBe('https://logbook.example.org/base/accounting-system/admin/entitlements?page=1&size=1');
  });
});
