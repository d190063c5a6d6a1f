import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './image.js';

type Output = Readonly<{
  inputs: Readonly<Record<string, object>>;
  imports: readonly Readonly<{ path: string; kind: string; external?: boolean }>[];
}>;

/** Of the build, as esbuild writes it. */
const { outputs } = JSON.parse(readFileSync(join(ROOT, 'dist/metafile.json'), 'utf8')) as Readonly<{
  outputs: Readonly<Record<string, Output>>;
}>;

/** The sources within a file of the build and all files that it imports. @param kinds of imports that are followed */
const sourcesOf = (entry: string, ...kinds: readonly string[]): readonly string[] => {
  const files = new Set([entry]);
  for (const file of files)
    for (const { path, kind, external } of outputs[file]?.imports ?? []) if (!external && kinds.includes(kind)) files.add(path);
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
};
const ofMigration = (sources: readonly string[]): readonly string[] =>
  sources.filter((path) => path.startsWith('apps/operator/src/migrate/'));

describe('the migration', () => {
  const SERVER = ['main', 'server', 'followers-worker', 'results-worker'];
  it.each(SERVER)('is nothing that server/%s.js loads, at its start or later', (name) => {
    const sources = sourcesOf(`server/${name}.js`, 'import-statement', 'dynamic-import');
    expect(sources.length).toBeGreaterThan(10);
    expect(ofMigration(sources)).toEqual([]);
  });

  it('is its list of commands and nothing more to the command line, until one of them runs', () => {
    expect(
      ofMigration(sourcesOf('server/cli.js', 'import-statement'))
        .map((path) => path.replace(/.*\//, ''))
        .sort(),
    ).toEqual(['index.js', 'plans.js']);
    expect(ofMigration(sourcesOf('server/cli.js', 'import-statement', 'dynamic-import')).length).toBeGreaterThan(50);
  });
});
