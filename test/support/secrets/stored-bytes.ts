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

/** Every key that starts with the prefix, and every value, whatever its type. */
export const bytesOfRedis = async (url: string, prefix: string): Promise<Buffer> => {
  const client = await createClient({ url, commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } }).connect();
  const parts: Buffer[] = [];
  const take = (value: unknown): void => {
    if (Buffer.isBuffer(value)) parts.push(value, Buffer.from('\n'));
    else if (Array.isArray(value)) for (const one of value) take(one);
    else if (typeof value === 'object' && value !== null) for (const pair of Object.entries(value)) take(pair);
    else if (typeof value === 'string') take(Buffer.from(value));
  };
  try {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
      for (const key of keys) {
        const type = String(await client.type(key));
        take(key);
        if (type === 'string') take(await client.get(key));
        else if (type === 'hash') take(await client.sendCommand(['HGETALL', key.toString()]));
        else if (type === 'zset') take(await client.sendCommand(['ZRANGE', key.toString(), '0', '-1']));
        else if (type === 'set') take(await client.sendCommand(['SMEMBERS', key.toString()]));
        else if (type === 'list') take(await client.sendCommand(['LRANGE', key.toString(), '0', '-1']));
        else if (type !== 'none') throw new Error(`${key} has the unknown type ${type}`);
      }
    }
  } finally {
    client.destroy();
  }
  return Buffer.concat(parts);
};
