import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { signIn } from '#test/console/chromium.js';
import type { Month } from '#test/console/month/month.js';
import { OPERATOR } from '#test/support/deployments.js';
import { placesOf } from './pictures.js';

/** A slow machine takes longer for it, and then the film is that much faster. */
const MOST_SECONDS = 58;
const SIZE = { width: 1_280, height: 800 };

/** Whether the machine has the program that makes a film of pictures. */
export const hasFfmpeg = (): boolean => spawnSync('ffmpeg', ['-version']).status === 0;

/** Everything that the page shows from now on, as pictures in a folder with a list of how long each is shown. */
const filming = async (page: Page, folder: string) => {
  const session = await page.context().newCDPSession(page);
  const frames: { file: string; at: number }[] = [];
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    const file = `${frames.length}.png`;
    writeFileSync(join(folder, file), Buffer.from(data, 'base64'));
    frames.push({ file, at: metadata.timestamp ?? 0 });
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', { format: 'png', maxWidth: SIZE.width, maxHeight: SIZE.height, everyNthFrame: 1 });
  return async (): Promise<void> => {
    await session.send('Page.stopScreencast');
    const end = (frames.at(-1)?.at ?? 0) + 2;
    const pace = Math.min(1, MOST_SECONDS / (end - (frames[0]?.at ?? 0)));
    const lines = frames.map(({ file, at }, place) => {
      const seconds = pace * ((frames[place + 1]?.at ?? end) - at);
      return `file '${file}'\nduration ${seconds.toFixed(3)}`;
    });
    writeFileSync(join(folder, 'list'), `${lines.join('\n')}\nfile '${frames.at(-1)?.file}'\n`);
  };
};

/** A pointer, and a line that says what is shown: neither is in what Chromium films by itself. */
const OVERLAY = `(() => {
  const make = (style) => {
    const element = document.createElement('div');
    Object.assign(element.style, { position: 'fixed', zIndex: 99, pointerEvents: 'none', ...style });
    return element;
  };
  const pointer = make({ width: '18px', height: '18px', margin: '-9px 0 0 -9px', borderRadius: '9px', background: '#d9681dcc',
    border: '2px solid #fff', left: '640px', top: '400px', transition: 'left .35s, top .35s' });
  const line = make({ left: '50%', bottom: '20px', transform: 'translateX(-50%)', padding: '8px 18px', borderRadius: '8px', background: '#1b2224',
    color: '#fff', font: '600 17px system-ui, sans-serif', whiteSpace: 'nowrap' });
  addEventListener('mousemove', ({ clientX, clientY }) => Object.assign(pointer.style, { left: clientX + 'px', top: clientY + 'px' }));
  globalThis.say = (text) => {
    line.textContent = text;
    const place = document.querySelector('dialog[open]') ?? document.body;
    place.append(line, pointer);
  };
})()`;

const actor = (page: Page) => {
  const rest = (ms: number) => page.waitForTimeout(ms);
  const say = (text: string) => page.evaluate(`say(${JSON.stringify(text)})`);
  const pointAt = async (target: Locator): Promise<void> => {
    await target.scrollIntoViewIfNeeded();
    await target.hover();
    await rest(500);
  };
  return {
    rest,
    say,
    pointAt,
    click: async (target: Locator): Promise<void> => {
      await pointAt(target);
      await target.click();
    },
    type: (text: string) => page.keyboard.type(text, { delay: 60 }),
  };
};

/** What is shown, in less than a minute. */
const play = async (page: Page, month: Month): Promise<void> => {
  const { rest, say, pointAt, click, type } = actor(page);
  const { earlier, outageCell } = placesOf(month);
  const main = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
  await say('Overview: what is wrong, and how each service is');
  await rest(3_000);
  await pointAt(page.getByRole('region', { name: 'Messaging' }));
  await say('Ctrl K goes to any view, record, event or request');
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', { name: 'Go to' }).waitFor();
  await say('Ctrl K goes to any view, record, event or request');
  await type('duty');
  await page.getByRole('option', { name: /^duty-desk/ }).waitFor();
  await rest(1_200);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'duty-desk' }).waitFor();
  await say('A subscription: backlog by age, messages in and out');
  await rest(3_000);
  await click(page.getByRole('tab', { name: 'Dead letters' }));
  await say('Dead letters, why they are there, and back with them');
  await click(page.getByRole('checkbox').first());
  await click(page.getByRole('button', { name: 'Redrive selected' }));
  await page.getByRole('status').getByText('Redriven 1 message').waitFor();
  await rest(2_000);
  await click(main('Changes'));
  await say('Changes: who changed what, in all services');
  await rest(2_200);
  await pointAt(page.getByLabel('Kind'));
  await page.getByLabel('Kind').selectOption('metric_profile');
  const change = page.getByRole('listitem').filter({ hasText: 'changed the metric profile checks' }).first();
  await click(change.getByRole('button', { name: 'Difference' }));
  await page.getByRole('region', { name: 'Difference' }).waitFor();
  await say('The difference, word by word');
  await rest(2_500);
  await click(main('Status'));
  await page.getByRole('table').first().waitFor();
  await say('Status: availability of groups by day and month');
  await rest(2_000);
  await click(page.getByRole('button', { name: outageCell }));
  await page.getByRole('button', { name: 'Explain' }).waitFor();
  await say('Explain: a figure as the sum of what was down, down to events');
  await click(page.getByRole('button', { name: 'Explain' }));
  await page.getByRole('region', { name: 'Explanation' }).waitFor();
  await page
    .getByRole('heading', { level: 2 })
    .last()
    .evaluate((heading) => heading.scrollIntoView({ behavior: 'smooth' }));
  await rest(4_000);
  await say('As of: every view as it was');
  const asOf = page.getByRole('banner').getByLabel('As of');
  await click(asOf);
  await type(earlier);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'The past' }).waitFor();
  await rest(2_500);
  await click(page.getByRole('button', { name: 'Back to now' }));
  await click(main('Events'));
  await say('Any event can be proven');
  await page.getByRole('row').nth(3).click();
  await click(page.getByRole('link', { name: 'Proof report' }));
  const sign = page.getByRole('button', { name: 'Sign anchor now' });
  const verdict = page.getByRole('status').getByText('The proof holds');
  await sign.or(verdict).first().waitFor();
  if (await sign.isVisible()) await click(sign);
  await verdict.waitFor();
  await say('The proof is checked in the browser');
  await rest(3_500);
};

/** A film of the console, of what Chromium shows. */
export const takeTour = async (browser: Browser, url: string, month: Month, file: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'logbook-tour-'));
  const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light', baseURL: url });
  try {
    const page = await context.newPage();
    await page.goto('/console');
    await signIn(page, OPERATOR);
    await page.getByRole('img', { name: /^Events over the last hour/ }).waitFor();
    await page.evaluate(OVERLAY);
    const end = await filming(page, folder);
    await play(page, month);
    await end();
    const input = ['-f', 'concat', '-safe', '0', '-i', join(folder, 'list')];
    const output = [
      '-vf',
      'fps=12',
      '-c:v',
      'libvpx-vp9',
      '-crf',
      '40',
      '-b:v',
      '0',
      '-cpu-used',
      '4',
      '-row-mt',
      '1',
      '-pix_fmt',
      'yuv420p',
      file,
    ];
    execFileSync('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...output], { stdio: 'inherit' });
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
