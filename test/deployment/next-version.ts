import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projections } from '#api/runtime/vocabulary.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A build of the program in a directory of its own. */
export type Release = Readonly<{ root: string; remove(): Promise<void> }>;

/** esbuild names each module in a line before it. */
const MODULE = /^\/\/ ((?:apps|libs|node_modules)\/\S+)$/;
/** A read model's declaration of its version, on a line of its own. */
const VERSION = /^( +version: )(\d+)(,?)$/;

/** The same text with a higher version for each read model that it declares, and their number. */
const withHigherVersions = (source: string): Readonly<{ raised: string; count: number }> => {
  const found = { module: '', count: 0 };
  const lines = source.split('\n').map((line) => {
    found.module = MODULE.exec(line)?.[1] ?? found.module;
    const [, start, version, end] =
      (/^libs\/projections\/src\/.*\/(?:[\w-]+-)?projection\.js$/.test(found.module) && VERSION.exec(line)) || [];
    if (version === undefined) return line;
    found.count += 1;
    return `${start}${Number(version) + 1}${end}`;
  });
  return { raised: lines.join('\n'), count: found.count };
};

/**
 * The next version of what was built from this checkout: all its read models have higher versions, so that it builds each of them anew.
 * @throws Error fewer read models than there are declare their versions as expected
 */
export const nextVersion = async (): Promise<Release> => {
  const root = await mkdtemp(join(tmpdir(), 'logbook-next-'));
  const server = join(root, 'dist', 'server');
  await cp(join(ROOT, 'dist', 'server'), server, { recursive: true });
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const counts: number[] = [];
  for (const name of (await readdir(server)).filter((one) => one.endsWith('.js'))) {
    const path = join(server, name);
    const { raised, count } = withHigherVersions(await readFile(path, 'utf8'));
    counts.push(count);
    if (count > 0) await writeFile(path, raised);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < projections.length) throw new Error(`only ${total} of ${projections.length} read models were found`);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
};
