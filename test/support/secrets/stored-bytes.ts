import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createClient, RESP_TYPES } from 'redis';

/** Everything in the files of a data directory, but for those that hold keys on purpose: `credentials.json` and `keys/`. */
export const bytesOfFiles = async (directory: string): Promise<Buffer> => {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const open = files.filter((file) => !/^(?:keys\/|credentials\.json)/.test(relative(directory, file)));
  return Buffer.concat((await Promise.all(open.map((file) => readFile(file)))).flatMap((bytes) => [bytes, Buffer.from('\n')]));
};

/** The command that reads all of a key, by its type. */
const READ: Readonly<Record<string, (key: string) => string[]>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
};

/** Every key that starts with the prefix, and every value, whatever its type. */
export const bytesOfRedis = async (url: string, prefix: string): Promise<Buffer> => {
  const client = await createClient({ url, commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } }).connect();
  const parts: Buffer[] = [];
  const take = (value: unknown): void => {
    if (Buffer.isBuffer(value)) parts.push(value, Buffer.from('\n'));
    else if (Array.isArray(value)) value.forEach(take);
    else if (typeof value === 'object' && value !== null) Object.entries(value).forEach(take);
    else if (typeof value === 'string') take(Buffer.from(value));
  };
  try {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
      for (const key of keys) {
        const type = String(await client.type(key));
        take(key);
        if (type === 'none') continue; // it expired meanwhile
        const command = READ[type];
        if (!command) throw new Error(`${key} has the unknown type ${type}`);
        take(await client.sendCommand(command(key.toString())));
      }
    }
  } finally {
    client.destroy();
  }
  return Buffer.concat(parts);
};
