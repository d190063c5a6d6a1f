import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';

const scene = serving(embedded);

const addressesIn = (html: string): readonly string[] =>
  Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address);

const idsIn = (html: string): readonly string[] => Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id);

/** All that can be reached from a page by links, other sites excepted, with the texts of pages. */
const reachedFrom = async (start: string): Promise<ReadonlyMap<string, string>> => {
  const texts = new Map<string, string>();
  const wanted = [start];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (texts.has(path)) continue;
    const { status, text } = await scene.root.get(path, { accept: 'text/html' });
    expect([path, status]).toEqual([path, 200]);
    texts.set(path, text);
    if (!path.startsWith('/guides/')) continue;
    const targets = addressesIn(text).map((address) => new URL(address, `${scene.server.url}${path}`));
    wanted.push(...targets.filter(({ origin }) => origin === scene.server.url).map(({ pathname }) => pathname));
  }
  return texts;
};

describe('the guides', () => {
  it('are pages whose links lead to pages, headings and pictures that are there', async () => {
    const texts = await reachedFrom('/guides/');
    expect([...texts.keys()]).toEqual(
      expect.arrayContaining([
        '/guides/publisher',
        '/guides/settings',
        '/guides/messaging-contract',
        '/guides/events.png',
        '/console',
        '/docs',
      ]),
    );
    for (const [path, text] of texts)
      for (const address of path.startsWith('/guides/') ? addressesIn(text) : []) {
        const { origin, pathname, hash } = new URL(address, `${scene.server.url}${path}`);
        if (origin !== scene.server.url || hash === '') continue;
        expect([path, address, idsIn(texts.get(pathname) ?? '')]).toEqual([path, address, expect.arrayContaining([hash.slice(1)])]);
      }
  });

  it('are HTML, without marks of Markdown, and say what a heading of the document says', async () => {
    const { text } = await scene.root.get('/guides/publisher');
    expect(text).toContain('<title>Publisher · Logbook</title>');
    expect(text).toContain('<h2 id="when-it-fails">When it fails</h2>');
    expect(text).toContain('<td>send less at once</td>');
    expect(text).toContain('$ publish -d &quot;$(message A &#39;A is down&#39;)&quot;; echo');
    for (const [path, page] of await reachedFrom('/guides/')) {
      if (!path.startsWith('/guides/') || !page.startsWith('<!DOCTYPE')) continue;
      expect([path, page.replaceAll(/<code[^>]*>.*?<\/code>/gs, '').match(/.{20}(?:\*\*|\]\(|`|&lt;\/?[a-z]|\n#|\n\|).*/)]).toEqual([
        path,
        null,
      ]);
    }
  });

  it('run nothing, load nothing from elsewhere, and are not written to', async () => {
    const { headers } = await scene.root.get('/guides/publisher');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await scene.root.post('/guides/publisher')).status).toBe(405);
  });

  it('begin where their links are right behind a proxy with a path of its own, and serve nothing but pages', async () => {
    const answer = await fetch(`${scene.server.url}/guides`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'guides/']);
    for (const path of ['nothing', '..%2fopenapi.json', '%2e%2e/main.js', 'publisher/more', '.'.repeat(5_000)])
      expect([403, 404]).toContain((await scene.root.get(`/guides/${path}`)).status);
  });

  it('are named by the root of the server and by the description of the API', async () => {
    expect((await scene.root.get('/', { accept: 'application/json' })).json).toMatchObject({ links: { guides: '/guides/' } });
    const { json } = await scene.root.get('/openapi.json');
    const addresses = Array.from(
      (json as { info: { description: string } }).info.description.matchAll(/\]\(([^)]+)\)/g),
      ([, address = '']) => address,
    );
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) expect([address, (await scene.root.get(`/${address}`)).status]).toEqual([address, 200]);
  });
});
