import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EnvironmentError } from './environment-error.js';
import { writeFileDurably } from './write-file-durably.js';

/** The marker of an environment, in `store.json`. */
export type Marker = Readonly<{
  lmdb: string;
  durability: 'durable' | 'replayable';
  /** `creating` until the data file certainly exists. From `ready` on, a missing or empty data file is a loss, not a beginning. */
  state: 'creating' | 'ready';
  /** Format of the records, as numbered by the program; default 1. */
  format: number;
  /** Identity of the data file (see `fileIdentity`) when it was closed properly: while it is the same, the file is unchanged. */
  closed?: string;
  /** It was opened without a complete read, although it had not been closed properly. */
  unchecked?: true;
}>;

const markerFile = (path: string): string => join(path, 'store.json');

/** @throws EnvironmentError the marker is invalid */
export const readMarker = (path: string): Marker | undefined => {
  const file = markerFile(path);
  if (!existsSync(file)) return undefined;
  const marker = parse(readFileSync(file, 'utf8'));
  if (!marker)
    throw new EnvironmentError(path, 'has a store.json that is not a marker of Logbook: delete that file if you trust the others');
  return marker;
};

const parse = (text: string): Marker | undefined => {
  try {
    const { lmdb, durability, state, format = 1, closed, unchecked }: Record<string, unknown> = JSON.parse(text);
    if (typeof lmdb !== 'string' || typeof format !== 'number') return undefined;
    if (durability !== 'durable' && durability !== 'replayable') return undefined;
    if (state !== 'creating' && state !== 'ready') return undefined;
    return {
      lmdb,
      durability,
      state,
      format,
      ...(typeof closed === 'string' ? { closed } : {}),
      ...(unchecked === true ? { unchecked } : {}),
    };
  } catch {
    return undefined;
  }
};

/** Writes only a changed marker, so that opening an undamaged environment costs no flush. */
export const writeMarker = (path: string, marker: Marker): void => {
  const text = `${JSON.stringify(marker)}\n`;
  const file = markerFile(path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileDurably(file, text);
};

/** Changes with every change of the file's bytes, and differs for every copy: the times are the kernel's, precise to a few milliseconds. */
export const fileIdentity = (file: string): string => {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(' ');
};

/** Version of the npm package, each major version of which changes the file format. */
export const installedLmdbVersion = (): string => {
  const entry = createRequire(import.meta.url).resolve('lmdb');
  return JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')).version;
};

/** Compares major and minor numbers: patch versions of lmdb read each other's files, so a program can be rolled back over one. */
export const isNewer = (version: string, than: string): boolean => rank(version) > rank(than);

const rank = (version: string): number => {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major * 100_000 + minor;
};
