import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { giveToOwner } from '#infra/platform/lmdb/ownership.js';
import { flushDirectory, makeDirectoryDurably } from '#infra/platform/lmdb/write-file-durably.js';
import { codeOf } from '#infra/platform/program/system-error.js';
import { KEY_BYTES } from './seal.js';

type MasterKeySource = Readonly<{
  /** The key itself: 32 bytes in base64. If missing or empty, the file is used. */
  fromEnvironment?: string;
  /** Directory of `master.key`, which holds the same text. File and directory are created on the first start. */
  directory: string;
  /** Returns whether sealed data exist that only the previous key opens; no new key is created then. Default: none exist. */
  isSealed?: () => Promise<boolean>;
}>;

/** The master key is not 32 bytes in base64. */
export class InvalidMasterKey extends Error {
  override readonly name = 'InvalidMasterKey';
}

/** The master key is missing, and no other key opens the sealed data. */
export class MissingMasterKey extends Error {
  override readonly name = 'MissingMasterKey';
}

/**
 * The key that wraps all subject keys. Without it every sealed member is lost, so the file must be backed up, separately from the log.
 * @throws InvalidMasterKey, MissingMasterKey
 */
export const loadMasterKey = async ({ fromEnvironment, directory, isSealed = async () => false }: MasterKeySource): Promise<Buffer> => {
  if (fromEnvironment) return parse(fromEnvironment, 'the environment');
  const file = join(directory, 'master.key');
  const found = await readIfPresent(file);
  if (found === null && (await isSealed()))
    throw new MissingMasterKey(
      `the master key of this log is missing: put back ${file}, or give LOGBOOK_MASTER_KEY; no other key opens what is sealed in the log`,
    );
  return parse(found ?? (await create(directory, file)), file);
};

const parse = (text: string, source: string): Buffer => {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new InvalidMasterKey(`the master key from ${source} is not ${KEY_BYTES} bytes in base64`);
  return key;
};

const readIfPresent = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

/** Writes and flushes the key under a temporary name, then links it: of several processes one wins, and none ever reads half a key. */
const create = async (directory: string, file: string): Promise<string> => {
  makeDirectoryDurably(directory);
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      giveToOwner(temporary);
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  flushDirectory(directory);
  return readFile(file, 'utf8');
};
