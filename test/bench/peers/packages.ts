import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What peers need and Logbook does not. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@event-driven-io/emmett': '0.42.0',
  '@event-driven-io/emmett-postgresql': '0.42.0',
  '@event-driven-io/pongo': '0.16.11',
  pg: '8.23.1',
};

const DONE = 'installed';

/**
 * Installs the packages of the peers into a directory under the system's temporary one, once for these versions. Returns its `package.json`, from
 * which they can be required.
 * @throws when npm fails
 */
export const installPackages = (): string => {
  const text = JSON.stringify({ private: true, dependencies: PACKAGES });
  const directory = join(tmpdir(), `logbook-bench-peers-${hash('sha256', text).slice(0, 12)}`);
  const manifest = join(directory, 'package.json');
  if (existsSync(join(directory, DONE))) return manifest;
  console.log(`installing packages of peers into ${directory}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(manifest, text);
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', options, { cwd: directory, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm ${options.join(' ')} in ${directory} failed`, { cause: error });
  writeFileSync(join(directory, DONE), '');
  return manifest;
};
