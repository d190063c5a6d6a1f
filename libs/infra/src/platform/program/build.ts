import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifestAbove = (directory: string): string => {
  const path = join(directory, 'package.json');
  if (existsSync(path)) return path;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('there is no package.json above the program');
  return manifestAbove(parent);
};

const manifest = manifestAbove(import.meta.dirname);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

/** A file that the build has made beside the server's code. */
export const builtFile = (name: string): string => join(dirname(manifest), 'dist', 'server', name);

/** Set by `tools/bundle.mjs`; programs that run from their sources have none. */
declare const LOGBOOK_BUILD_COMMIT: string | undefined;

/** Which program this is: its version, the commit it was built from (empty: not known), and when it was built (`YYYY-MM-DDTHH:MM:SSZ`). */
export const build = {
  version,
  commit: typeof LOGBOOK_BUILD_COMMIT === 'string' ? LOGBOOK_BUILD_COMMIT : '',
  time: `${statSync(import.meta.filename)
    .mtime.toISOString()
    .slice(0, 19)}Z`,
} as const;
