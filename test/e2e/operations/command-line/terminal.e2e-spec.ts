import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { serving } from '#test/e2e/serving.js';
import { embedded, OPERATOR } from '#test/support/deployments.js';
import { runLogbook } from '#test/support/processes/logbook-process.js';
import { onTerminal } from '#test/support/processes/terminal.js';

const CLI = 'dist/server/cli.js';
const BOLD = '\u001b[1m';
const RED = '\u001b[31m';
/** What a terminal would obey, or what turns the order of what it shows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const HOSTILE = 'a\u001b]0;title\u0007b\u009b31mc\u202egnp.exe\u2066d\re\nforged';

const CREATE = ['keys', 'create', '--service', 'status', '--role', 'super_admin', '--name'];

describe('the command line on a terminal', () => {
  const scene = serving(embedded);
  const logbook = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    runLogbook(words, { ...scene.deployment.environment, ...environment });
  const shown = (words: readonly string[], columns?: number, environment: Readonly<Record<string, string>> = {}) =>
    onTerminal([CLI, ...words], { ...scene.deployment.environment, ...environment }, columns === undefined ? {} : { columns });

  it('shows tables that fit, with short times and ids, and everything where that is asked for', async () => {
    const { code, screen } = await shown(['keys', 'list'], 76, { NO_COLOR: '1' });
    expect([code, screen]).toEqual([
      0,
      expect.stringMatching(/^id +service +role +name +issuedAt\n[0-9a-f]{8}… .* (\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d)Z$/m),
    ]);
    for (const line of screen.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(76);
    const made = JSON.parse((await logbook([...CREATE, 'short', '--json'])).stdout) as { id: string };
    expect((await logbook(['keys', 'revoke', `${made.id.slice(0, 8)}…`])).code).toBe(0);
    const after = await logbook(['keys', 'list']);
    expect(after.stdout).not.toContain(made.id);
    const wide = await shown(['keys', 'list', '--wide'], 76, { NO_COLOR: '1' });
    expect(wide.screen).toBe(after.stdout);
    const some = await shown(['projections', 'list', '--columns', 'state,name'], 100, { NO_COLOR: '1' });
    expect(some.screen).toMatch(/^state +name\nlive +accounting\.access$/m);
    const none = await logbook(['projections', 'list', '--columns', 'colour']);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: there is no column colour; there are name, version, .*\n$/),
    ]);
  });

  it('says in one line why a server does not start', async () => {
    const { code, screen } = await onTerminal(['dist/server/main.js'], { LOGBOOK_PORT: 'none' });
    expect([code, screen]).toEqual([1, expect.stringMatching(/^Logbook did not start: .*LOGBOOK_PORT.*\n$/)]);
  });

  it('has colours on terminals only, and none where NO_COLOR says so', async () => {
    expect((await shown(['keys', 'list'])).screen.startsWith(BOLD)).toBe(true);
    expect((await shown(['keys', 'revoke', 'none'])).screen.startsWith(`${RED}there is no key`)).toBe(true);
    expect((await shown(['keys', 'list'], 100, { NO_COLOR: '1' })).screen).not.toMatch(STEERING);
    expect((await logbook(['keys', 'list'])).stdout).not.toMatch(STEERING);
  });

  it('obeys no caller: what they chose is shown, and steers nothing', async () => {
    const made = await logbook([...CREATE, HOSTILE]);
    expect(made.code).toBe(0);
    for (const words of [
      ['keys', 'list', '--wide'],
      ['audit', 'events', '--columns', 'type,data', '--wide'],
      ['projections', 'rebuild', HOSTILE],
    ]) {
      const { screen } = await shown(words, 200, { NO_COLOR: '1' });
      expect([words, screen.match(STEERING)]).toEqual([words, null]);
      expect(screen).toContain('\\u001b]0;title');
      expect(screen).not.toMatch(/^forged/m);
    }
  });

  it('asks the server beside it, and says where it cannot', async () => {
    const items = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { items: { name: string; appliedAt: string | null }[] }).items;
    const asked = (await scene.root.get('/ops/projections', { key: OPERATOR })).json as {
      items: { name: string; appliedAt: string | null }[];
    };
    const applied = (list: readonly { name: string; appliedAt: string | null }[]) =>
      list.filter((one) => one.appliedAt !== null).map(({ name }) => name);
    const listed = await logbook(['projections', 'list', '--json']);
    expect(applied(items(listed)).sort()).toEqual(applied(asked.items).sort()); // which only the server knows
    expect(listed.stderr).toBe('');
    const verified = await logbook(['audit', 'verify']);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^intact: \d+ events, root [0-9a-f]{64}\n$/)]);
    expect((await shown(['audit', 'verify'], 100, { NO_COLOR: '1' })).screen).toMatch(/log \[#{30}\] 100% (\d+) of \1 events\nintact: /);
    for (const words of [
      ['projections', 'list'],
      ['audit', 'verify'],
    ]) {
      const { code, stdout, stderr } = await logbook(words, { LOGBOOK_OPS_KEY: '' });
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^another process has .*log open, .* give LOGBOOK_OPS_KEY/)]);
    }
  });
});

describe('a server that is started on a terminal', () => {
  it('says in words where to go, and ends with Ctrl-C; elsewhere its log says it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'logbook-started-'));
    const environment = { LOGBOOK_DATA_DIR: join(directory, 'data'), NO_COLOR: '1' };
    const { code, screen } = await onTerminal(['dist/server/main.js'], environment, { until: 'Ctrl-C ends it.' });
    const file = join(directory, 'data', 'credentials.json');
    await rm(directory, { recursive: true });
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(screen) ?? [];
    expect(code).toBe(0);
    expect(screen).toContain(
      ` serves ${url}\n  console  ${url}/console\n  API      ${url}/docs\n  keys     ${file} (of the first administrators)\n`,
    );
    expect(screen).not.toMatch(/"listening"|keys of the first administrators were generated/);
  });
});

describe('the set-up of a checkout', () => {
  it('shows on a terminal how long it has been at it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-set-up-'));
    for (const name of ['apps', 'node_modules', 'tools', 'bin']) await mkdir(join(folder, name));
    await copyFile('tools/ensure.mjs', join(folder, 'tools', 'ensure.mjs'));
    await writeFile(join(folder, 'package.json'), '{"type":"module","engines":{"node":">=20.19"}}');
    await writeFile(join(folder, 'package-lock.json'), '{}');
    await writeFile(join(folder, 'bin', 'npm'), '#!/bin/sh\nsleep 1.5\n', { mode: 0o755 }); // stands for one that installs
    const environment = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` };
    const { code, screen } = await onTerminal([join(folder, 'tools', 'ensure.mjs'), '--packages'], environment);
    await rm(folder, { recursive: true });
    expect([code, screen]).toEqual([
      0,
      expect.stringMatching(/^Installing packages \.\.\. \rInstalling packages \.\.\. 1 s\rInstalling packages \.\.\. 1\.\d s\n$/),
    ]);
  });
});

describe('the command line', () => {
  const shell = (program: string, script: string) => spawnSync(program, ['-c', script], { encoding: 'utf8' });

  it('says its version, and its manual page is that of its help', async () => {
    expect((await runLogbook(['-V'], {})).stdout).toBe((await runLogbook(['--version'], {})).stdout);
    expect((await runLogbook(['man'], {})).stdout).toBe(await readFile('docs/logbook.1', 'utf8')); // logbook man > docs/logbook.1
  });

  it('ends without a complaint where the reader of its output has ended', () => {
    const ended = shell('sh', `{ "${process.execPath}" ${CLI} man; echo $? >&2; } | true`);
    expect([ended.status, ended.stderr]).toEqual([0, '0\n']);
  });

  it('is on the path after npm link, with its manual page', async () => {
    const prefix = await mkdtemp(join(tmpdir(), 'logbook-linked-'));
    const env = { ...process.env, npm_config_prefix: prefix, npm_config_loglevel: 'error' };
    expect(spawnSync('npm', ['link', '--offline'], { env }).status).toBe(0);
    const version = spawnSync(join(prefix, 'bin', 'logbook'), ['-V'], { encoding: 'utf8', cwd: prefix }).stdout;
    const page = await readFile(join(prefix, 'share', 'man', 'man1', 'logbook.1'), 'utf8');
    await rm(prefix, { recursive: true });
    expect([version, page]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/), expect.stringMatching(/^\.TH LOGBOOK 1/)]);
  });

  it('completes commands and options in bash', async () => {
    const { stdout: script } = await runLogbook(['completion', 'bash'], {});
    const completed = (...words: readonly string[]) => {
      const given = words.map((word) => `'${word}'`).join(' ');
      return shell(
        'bash',
        `${script}\nCOMP_WORDS=(logbook ${given}); COMP_CWORD=${words.length}; _logbook; echo "\${COMPREPLY[@]}"`,
      ).stdout.trim();
    };
    expect(completed('proj')).toBe('projections');
    expect(completed('projections', 're')).toBe('rebuild resume');
    expect(completed('audit', 'events', '--f')).toBe('--from --form');
    expect(completed('audit', '--json', 'ver')).toBe('verify');
    expect(completed('completion', '')).toContain('--help');
  });

  it.each(['zsh', 'fish'])('has a completion for %s with every command', async (name) => {
    const { code, stdout } = await runLogbook(['completion', name], {});
    expect([code, stdout]).toEqual([0, expect.stringContaining('anchors')]);
    const file = join(await mkdtemp(join(tmpdir(), 'logbook-completion-')), '_logbook');
    await writeFile(file, stdout);
    const checked = spawnSync(name, ['-n', file], { encoding: 'utf8' });
    await rm(dirname(file), { recursive: true });
    if (checked.error === undefined) expect([checked.status, checked.stderr]).toEqual([0, '']); // where the shell is installed
    const other = await runLogbook(['completion', 'tcsh'], {});
    expect([other.code, other.stdout]).toEqual([2, '']);
  });
});
