import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runSession, sessionOf } from '#test/support/documents/documented-session.js';
import { isFullRun } from '#test/support/test-runs.js';

const ROOT = new URL('../../../..', import.meta.url);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'logbook-readme-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const GUIDES = 'docs/guides';

/** The index of the guides, and they themselves in the order of its table: one session. */
const guides = (): readonly string[] => {
  const index = readFileSync(new URL(`${GUIDES}/README.md`, ROOT), 'utf8');
  const linked = Array.from(index.matchAll(/^\| .* \| \[.*\]\((\S+\.md)\) \|$/gm), ([, file = '']) => file);
  return ['README.md', ...linked].map((file) => `${GUIDES}/${file}`);
};

const SESSIONS: readonly (readonly [documents: readonly string[], atLeast: number])[] = [
  [['README.md'], 10],
  [[...['watching', 'read-models', 'keys'].map((page) => `docs/running/${page}.md`), 'docs/auditing.md', 'docs/running/copies.md'], 40],
  [['docs/migration.md'], 8],
  [['docs/messaging.md'], 20],
  [guides(), 80],
];

it('the table of the guides has all of them', () => {
  const there = readdirSync(new URL(GUIDES, ROOT)).map((file) => `${GUIDES}/${file}`);
  expect(guides().toSorted()).toEqual(there.toSorted());
});

/** Variables and functions that commands define. */
const definedIn = (commands: string): readonly string[] =>
  Array.from(commands.matchAll(/(?<![\w-])([A-Z]+)=|(?:^|; )([a-z]+)\(\) \{/gm), ([, variable, called]) => variable ?? called ?? '');

const uses = (commands: string, name: string): boolean =>
  new RegExp(/[A-Z]/.test(name) ? `\\$\\{?${name}\\b` : `(?:^|[|;&(]|\\bdo) *${name}(?= |$)`, 'm').test(commands);

it('each guide says at its beginning which names it takes from those before it', () => {
  const texts = guides().map((file) => readFileSync(new URL(file, ROOT), 'utf8'));
  const commands = texts.map((text) =>
    sessionOf(text)
      .map(({ command }) => command)
      .join('\n'),
  );
  const own = commands.map(definedIn);
  const foreign = commands.map((session, index) =>
    [...new Set(own.slice(1).flat())].filter((name) => !own[0]?.includes(name) && !own[index]?.includes(name) && uses(session, name)),
  );
  const said = texts.map((text) => {
    const [paragraph = ''] = /^This guide's session [\s\S]*?\n\n/m.exec(text) ?? [];
    return Array.from(paragraph.matchAll(/`(\w+)`/g), ([, name = '']) => name);
  });
  expect(said.map((names) => names.toSorted())).toEqual(foreign.map((names) => names.toSorted()));
  expect(foreign.flat()).toContain('METRIC');
});

/** A plain run, and zsh, try the README's alone. */
describe.each([
  ['bash', isFullRun ? SESSIONS.length : 1],
  ['zsh', 1],
] as const)('the session as typed into %s', (shell, sessions) => {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;

  (isThere ? it : it.skip).each(SESSIONS.slice(0, sessions))('prints what %j shows', async (documents, atLeast) => {
    const steps = documents.flatMap((document) => sessionOf(readFileSync(new URL(document, ROOT), 'utf8')));
    expect(steps.length).toBeGreaterThan(atLeast);
    expect(await runSession(shell, steps, directory)).toEqual(steps);
  });
});
