/**
 * Checks what was changed since `main`, committed or not, in half a minute: types, lint and the unit tests that the change can break. `npm run check` checks
 * everything.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const inModules = (...names) => join(root, 'node_modules', ...names);

/** Runs a program of Node's to its end; one that fails ends this one with its code. */
const run = (...command) => {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
/** Lines that git prints; if it fails, as without a branch `main`, so does this program. */
const linesOf = (...command) => {
  const { status, stdout } = spawnSync('git', command, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  return stdout.split('\n').filter(Boolean);
};

const changed = [
  ...new Set([...linesOf('diff', '--name-only', '--merge-base', 'main'), ...linesOf('ls-files', '--others', '--exclude-standard')]),
];
const existing = changed.filter((file) => existsSync(join(root, file)));
/** Documents are read by tests, not imported. */
const documents = existing.some((file) => file.endsWith('.md')) ? ['test/docs'] : [];
const sources = existing.filter((file) => /^(apps|libs|test)\/.*\.tsx?$/.test(file));

const checkTypes = (folder) =>
  run(
    inModules('typescript-7', 'bin', 'tsc'),
    ...[
      '-p',
      join(folder, 'tsconfig.json'),
      '--incremental',
      '--tsBuildInfoFile',
      inModules('.logbook', `types-${folder.replace('/', '-')}`),
    ],
  );

run('tools/ensure.mjs', '--packages');
if (!existsSync(join(root, 'dist/openapi/client.ts'))) {
  run('tools/ensure.mjs');
  run('tools/openapi.mjs'); // types of the API, for its clients
}
checkTypes('.');
if (sources.some((file) => file.startsWith('apps/console/'))) checkTypes('apps/console');
if (existing.length > 0) run(inModules('@biomejs', 'biome', 'bin', 'biome'), 'check', '--no-errors-on-unmatched', ...existing);
const jest = [
  '--no-warnings',
  '--experimental-vm-modules',
  inModules('jest', 'bin', 'jest.js'),
  '--selectProjects',
  'unit',
  '--passWithNoTests',
];
if (sources.length > 0) run(...jest, '--findRelatedTests', ...sources);
if (documents.length > 0) run(...jest, ...documents);
