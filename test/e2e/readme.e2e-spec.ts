import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

type Step = Readonly<{ command: string; output: string }>;

const ROOT = new URL('../..', import.meta.url);

/** The commands of the README's session blocks, each with the output it shows. */
const sessionOf = (readme: string): readonly Step[] => {
  const blocks = [...readme.matchAll(/<!-- session -->\n```console\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  const steps: { command: string; output: string }[] = [];
  for (const line of blocks.join('').split('\n')) {
    const last = steps.at(-1);
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: '' });
    else if (last && line !== '') last.output += `${line}\n`;
  }
  return steps;
};

/** What differs from run to run, as the README writes it. */
const normalise = (output: string, port: number): string =>
  output.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>').replaceAll(`127.0.0.1:${port}`, '<host>');

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
};

/** Runs all steps in one shell, as a person would, and returns the output of each. */
const run = async (steps: readonly Step[], dataDirectory: string, port: number): Promise<readonly string[]> => {
  const mark = '@@ next @@';
  const script = steps.map(({ command }) => `${command.replace('127.0.0.1:8080', `127.0.0.1:${port}`)}\nprintf '%s' '${mark}'`).join('\n');
  const { PATH = '', HOME = '' } = process.env;
  const shell = spawn('bash', ['-c', `trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n${script}`], {
    cwd: ROOT,
    env: { PATH, HOME, LOGBOOK_PORT: `${port}`, LOGBOOK_DATA_DIR: dataDirectory },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(shell, 'close');
  return output.split(mark);
};

let dataDirectory: string;
beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'logbook-readme-'));
});
afterAll(() => rm(dataDirectory, { recursive: true, force: true }));

it('the session in the README is what happens', async () => {
  const steps = sessionOf(await readFile(new URL('README.md', ROOT), 'utf8'));
  expect(steps.length).toBeGreaterThan(10);
  const port = await freePort();
  const outputs = await run(steps, dataDirectory, port);
  const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  expect(steps.map(({ command }, index) => ({ command, output: withNewline(normalise(outputs[index] ?? '', port)) }))).toEqual(steps);
}, 120_000);
