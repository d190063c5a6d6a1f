import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isFullRun } from '#test/support/test-runs.js';
import { datedResource } from './adding-a-feature/dated-resource.js';
import { afterStep, type Recipe } from './adding-a-feature/recipe.js';
import { subresource } from './adding-a-feature/subresource.js';

const ROOT = resolve(import.meta.dirname, '../..');
const KEPT_STATES = 'libs/infra/src/engine/stream-processor/snapshots/kept-states.spec.ts';
const JEST = ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
const LIMIT_MS = 600_000;

const recipes = [datedResource, subresource];

/** The files that the table under a heading of the document names. */
const filesUnder = (heading: string): readonly string[] => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/adding-a-feature.md'), 'utf8').split(`## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => {
    const [first = '', ...beside] = (row.split(' | ')[0] ?? '').match(/`([^`]+)`/g)?.map((code) => code.slice(1, -1)) ?? [];
    return [first, ...beside.map((name) => join(first, '..', name))];
  });
};

it.each(recipes)('the files of a recipe are those that the document names: $heading', ({ heading, steps }: Recipe) => {
  const named = filesUnder(heading).map((file) => file.replace('<kind>', 'calendars'));
  expect(steps.map(({ file }) => file).sort()).toEqual([...named].sort());
});

const sourceOf = (root: string, file: string): string | undefined => {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

it.each(recipes)('a recipe finds the places of its edits: $heading', ({ steps }: Recipe) => {
  for (const step of steps) expect(afterStep(step, sourceOf(ROOT, step.file))).not.toBe('');
});

const whole = isFullRun ? describe : describe.skip;

whole('docs/adding-a-feature.md, followed in a copy of the checkout', () => {
  const copy = mkdtempSync(join(tmpdir(), 'logbook-feature-'));
  const { LOGBOOK_TEST_RUNS: _all, JEST_WORKER_ID: _worker, ...env } = process.env;
  const run = (command: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: 'utf8', maxBuffer: 64 << 20 });
    return { status, output: stdout + stderr };
  };
  const succeeds = (command: string, ...args: readonly string[]): void => {
    const { status, output } = run(command, ...args);
    if (status !== 0) throw new Error(`${[command, ...args].join(' ')}: ${output.slice(-20_000)}`);
  };

  beforeAll(() => {
    const left = new Set(['.git', 'node_modules', 'dist', 'data'].map((name) => join(ROOT, name)));
    cpSync(ROOT, copy, { recursive: true, filter: (source) => !left.has(source) });
    execFileSync('cp', ['-a', join(ROOT, 'node_modules'), copy]);
    rmSync(join(copy, 'node_modules/.logbook/lock'), { force: true });
    for (const step of recipes.flatMap(({ steps }) => steps)) {
      writeFileSync(join(copy, step.file), afterStep(step, sourceOf(copy, step.file)));
    }
  }, LIMIT_MS);
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  it(
    'passes the checks once the digest of the kept states and docs/events are taken over',
    () => {
      const { output } = run(process.execPath, ...JEST, '--selectProjects', 'unit', KEPT_STATES);
      const [, before = '', found = ''] = /Expected: "(.+)"\n.*Received: "(.+)"/.exec(output) ?? [];
      const file = join(copy, KEPT_STATES);
      writeFileSync(file, readFileSync(file, 'utf8').replace(`'${before}'`, `'${found}'`));
      succeeds('npm', 'run', 'docs:events');
      succeeds('npm', 'run', 'check');
    },
    LIMIT_MS,
  );

  it('serves both', () => succeeds(process.execPath, ...JEST, '-i', 'schemas.e2e-spec', 'calendars.e2e-spec'), LIMIT_MS);
});
