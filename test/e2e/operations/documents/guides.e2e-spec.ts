import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { targetsIn } from '#test/docs/markdown.js';
import { serving } from '#test/e2e/serving.js';
import { embedded } from '#test/support/deployments.js';
import { danglingIn, idsIn, reachedFromGuides } from './linked-pages.js';

const scene = serving(embedded);

const ROOT = new URL('../../../../', import.meta.url);
const KILOBYTE = 1_024;

describe('the guides', () => {
  it('are pages whose links lead to pages, headings, calls and pictures that are there', async () => {
    const pages = await reachedFromGuides(scene.server.url);
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining([
        '/guides/publisher',
        '/guides/settings',
        '/guides/messaging-contract',
        '/guides/decisions',
        '/guides/logbook-contributing',
        '/guides/calls-messaging',
        '/guides/search',
        '/guides/events.png',
        '/console',
        '/docs',
      ]),
    );
    expect(danglingIn(pages, scene.server.url)).toEqual([]);
  });

  it('have every document of the repository, with its headings', async () => {
    const ids = [...(await reachedFromGuides(scene.server.url)).values()].map(idsIn);
    const documents = ['', 'docs/'].flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: folder !== '', encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}${name}`),
    );
    const anchorsOf = (path: string) => [...targetsIn(readFileSync(new URL(path, ROOT), 'utf8')).anchors];
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.filter((path) => !ids.some((those) => anchorsOf(path).every((anchor) => those.has(anchor))))).toEqual([]);
  });

  it('have an index of their sections and of every call, with addresses that are there', async () => {
    const pages = await reachedFromGuides(scene.server.url);
    const { json } = await scene.root.get('/guides/search.json');
    const indexed = Object.values((json as { documentIds: Record<string, string> }).documentIds);
    expect(indexed).toEqual(
      expect.arrayContaining(['./#guides-by-role', 'publisher#when-it-fails', 'calls-messaging#publishmessages', 'logbook#guarantees']),
    );
    const isThere = (address: string): boolean => {
      const { pathname, hash } = new URL(address, `${scene.server.url}/guides/`);
      return idsIn(pages.get(pathname) ?? '').has(hash.slice(1));
    };
    expect(indexed.filter((address) => !isThere(address))).toEqual([]);
  });

  it('are at most 400 kB each, their index 2 MB', async () => {
    const pages = await reachedFromGuides(scene.server.url);
    const { text } = await scene.root.get('/guides/search.json');
    const long = [...pages].filter(
      ([path, page]) => path.startsWith('/guides/') && page.startsWith('<!DOCTYPE') && page.length > 400 * KILOBYTE,
    );
    expect(long.map(([path]) => path)).toEqual([]);
    expect(text.length).toBeLessThan(2_048 * KILOBYTE);
  });

  it('are HTML, without marks of Markdown, and say what a heading of the document says', async () => {
    const { text } = await scene.root.get('/guides/publisher');
    expect(text).toContain('<title>Publisher · Logbook</title>');
    expect(text).toContain('<h2 id="when-it-fails">When it fails</h2>');
    expect(text).toContain('<td>send less at once</td>');
    expect(text).toContain('$ publish -d &quot;$(message A &#39;A is down&#39;)&quot;; echo');
    for (const [path, page] of await reachedFromGuides(scene.server.url)) {
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

  it('have one page that runs a script of this server: the search', async () => {
    for (const path of ['search', 'search.html']) {
      const policy = (await scene.root.get(`/guides/${path}`)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'; connect-src 'self'");
      expect(policy).not.toMatch(/unsafe|script-src 'self' /);
    }
  });

  it('begin where their links are right behind a proxy with a path of its own, and serve nothing but pages', async () => {
    const answer = await fetch(`${scene.server.url}/guides`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'guides/']);
    for (const path of [
      'nothing',
      '..%2fopenapi.json',
      '%2e%2e/main.js',
      '..%2f..%2f..%2fpackage.json',
      'tools%2fguides%2fstyle.css',
      'publisher/more',
      '.'.repeat(5_000),
    ])
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
