import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeRole } from '#infra/platform/config/configuration.js';
import { markOf } from '#infra/platform/lmdb/lock.js';
import { currentBoot, isOriginAlive, startOf } from '#infra/platform/program/process-origin.js';

/** Files next to the stores with the address of each server that has them open, for commands on the same machine. */
const FILE = /^server\.(\d{1,15})\.json$/;
const fileIn = (dataDirectory: string, pid: number | string): string => join(dataDirectory, `server.${pid}.json`);

type Announced = Readonly<{ file: string; url: string; roles: readonly unknown[]; masterKey: unknown; isRunning: boolean }>;

const announcedIn = (dataDirectory: string, pid: string): Announced | undefined => {
  const file = fileIn(dataDirectory, pid);
  try {
    const { url, roles, masterKey, boot, start, mark } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    if (typeof url !== 'string' || typeof start !== 'string' || !Array.isArray(roles)) return undefined;
    // A copy of the directory names the servers of the original. Earlier releases wrote no mark.
    const isHere = mark === undefined || mark === markOf(dataDirectory);
    // Process ids are reused: another process may have this one now.
    return { file, url, roles, masterKey, isRunning: isHere && isOriginAlive([pid, start, boot].join(':')) };
  } catch {
    return undefined; // it is gone, or being written
  }
};

const allAnnounced = (dataDirectory: string): readonly Announced[] => {
  try {
    const pids = readdirSync(dataDirectory).flatMap((name) => FILE.exec(name)?.[1] ?? []);
    return pids.flatMap((pid) => announcedIn(dataDirectory, pid) ?? []);
  } catch {
    return []; // there is no such directory, or this account may not read it
  }
};

/**
 * Announces nothing if the directory cannot be written.
 * @param masterKey fingerprint of the master key, by which commands check theirs
 */
export const announceAddress = async (
  dataDirectory: string,
  url: string,
  roles: readonly NodeRole[],
  masterKey: string | null = null,
): Promise<void> => {
  if (!existsSync(dataDirectory)) return;
  for (const { file, isRunning } of allAnnounced(dataDirectory)) if (!isRunning) remove(file);
  const origin = { boot: currentBoot(), start: startOf(process.pid), mark: markOf(dataDirectory) };
  await writeFile(fileIn(dataDirectory, process.pid), `${JSON.stringify({ url, roles, masterKey, ...origin })}\n`, { mode: 0o600 }).catch(
    () => undefined,
  );
};

export const withdrawAddress = (dataDirectory: string, url: string): void => {
  const announced = announcedIn(dataDirectory, String(process.pid));
  if (announced?.url === url) remove(announced.file);
};

const remove = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // A remaining file names a process that is gone.
  }
};

/** Address of a server of this data directory with the role; `undefined` if none is announced. */
export const serverAddress = (dataDirectory: string, role: NodeRole): string | undefined =>
  allAnnounced(dataDirectory).find(({ roles, isRunning }) => isRunning && roles.includes(role))?.url;

/** Fingerprint of the master key of a server of this data directory; `undefined` if none is announced. */
export const servedMasterKey = (dataDirectory: string): unknown =>
  allAnnounced(dataDirectory).find(({ isRunning, masterKey }) => isRunning && masterKey !== null)?.masterKey;
