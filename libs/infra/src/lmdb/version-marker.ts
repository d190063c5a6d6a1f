import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EnvironmentError } from './environment-error.js';
import { writeFileDurably } from './write-file-durably.js';

/**
 * What an environment's directory says of itself, in `store.json`. `creating` until the data file exists for sure: from `ready` on a
 * missing or empty data file is a loss, not a beginning.
 */
export type Marker = Readonly<{ lmdb: string; durability: 'durable' | 'replayable'; state: 'creating' | 'ready' }>;

const markerFile = (path: string): string => join(path, 'store.json');

/** @throws EnvironmentError when there is a marker that cannot be understood */
export const readMarker = (path: string): Marker | undefined => {
  const file = markerFile(path);
  if (!existsSync(file)) return undefined;
  const marker = parse(readFileSync(file, 'utf8'));
  if (!marker) throw new EnvironmentError(path, 'has a store.json that is not a marker of Logbook');
  return marker;
};

const parse = (text: string): Marker | undefined => {
  try {
    const { lmdb, durability, state }: Record<string, unknown> = JSON.parse(text);
    if (typeof lmdb !== 'string') return undefined;
    if (durability !== 'durable' && durability !== 'replayable') return undefined;
    if (state !== 'creating' && state !== 'ready') return undefined;
    return { lmdb, durability, state };
  } catch {
    return undefined;
  }
};

/** Writes only what changed, so that an open of a sound environment costs no flush. */
export const writeMarker = (path: string, marker: Marker): void => {
  const text = `${JSON.stringify(marker)}\n`;
  const found = readMarker(path);
  if (found && `${JSON.stringify(found)}\n` === text) return;
  writeFileDurably(markerFile(path), text);
};

/** The version of the npm package: each major line of it changes what is in the file. */
export const installedLmdbVersion = (): string => {
  const entry = createRequire(import.meta.url).resolve('lmdb');
  return JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')).version;
};

/** Compares major and minor numbers: patches of lmdb read each other's files, so a program may be rolled back over one. */
export const isNewer = (version: string, than: string): boolean => rank(version) > rank(than);

const rank = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major * 100_000 + minor;
};
