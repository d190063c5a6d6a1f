import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environmentOf } from '#test/support/processes/logbook-process.js';
import { danglingIn, reachedFromGuides } from './linked-pages.js';

const ROOT = new URL('../../../../', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { scripts: { docs: string } };

/** The documents as `npm run docs` serves them, without its set-up, and its end by Ctrl-C. */
const serveDocuments = async () => {
  const program = scripts.docs.replace(/^node tools\/ensure\.mjs && /, '');
  const child = spawn('sh', ['-c', program], { cwd: fileURLToPath(ROOT), env: environmentOf({}), stdio: ['ignore', 'pipe', 'inherit'] });
  const end = async () => {
    if (child.exitCode === null && child.kill('SIGINT')) await once(child, 'exit');
    return child.signalCode;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /(http:\S+)\/guides\/documents$/.exec(line) ?? [];
    if (url !== undefined) return { url, end };
  }
  throw new Error('npm run docs ended');
};

describe('npm run docs', () => {
  let served: Awaited<ReturnType<typeof serveDocuments>> | undefined;
  const url = (): string => served?.url ?? '';
  beforeAll(async () => {
    served = await serveDocuments();
  });
  afterAll(async () => expect(await served?.end()).toBe('SIGINT'));

  it('serves the guides, whose links lead to pages, headings, calls and pictures that are there', async () => {
    const pages = await reachedFromGuides(url());
    expect(pages.size).toBeGreaterThan(100);
    expect(danglingIn(pages, url())).toEqual([]);
  });

  it('begins with the index of the documents, and shows the console by its pictures', async () => {
    const beginning = await fetch(url());
    expect([beginning.url, beginning.status]).toEqual([`${url()}/guides/documents`, 200]);
    expect(await (await fetch(`${url()}/console`)).text()).toContain('<a href="overview.png">');
  });

  it('shows the API with all calls, which it does not make', async () => {
    expect(await (await fetch(`${url()}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Logbook' } });
    expect(await (await fetch(`${url()}/docs/start.js`)).text()).toContain('supportedSubmitMethods: []');
    expect((await fetch(`${url()}/health`)).status).toBe(404);
  });

  it('has the policies of a server, and serves nothing but pages', async () => {
    const { headers } = await fetch(`${url()}/guides/publisher`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; (?!.*script)/);
    for (const path of ['guides/..%2fopenapi.json', 'guides/%2e%2e%2f%2e%2e/package.json', 'docs/package.json', 'package.json'])
      expect([403, 404]).toContain((await fetch(`${url()}/${path}`)).status);
  });
});
