import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Database, open } from 'lmdb';
import { storeSizes } from './store-sizes.js';

const VALUES = 2_000;
const VALUE_BYTES = 1_000;

describe('sizes of stores', () => {
  it('tell what trees hold from the pages that were freed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'logbook-sizes-'));
    const change = async (work: (values: Database<Buffer, number>, key: number) => unknown, count: number) => {
      const root = open({ path: join(directory, 'log'), noSubdir: false, encoding: 'binary', maxDbs: 2 });
      const values = root.openDB<Buffer, number>('values', { encoding: 'binary', keyEncoding: 'uint32' });
      for (let key = 0; key < count; key++) work(values, key);
      await root.flushed;
      await root.close();
    };
    try {
      await change((values, key) => values.put(key, Buffer.alloc(VALUE_BYTES)), VALUES);
      writeFileSync(join(directory, 'log', 'more'), Buffer.alloc(100_000));
      mkdirSync(join(directory, 'keys'));
      writeFileSync(join(directory, 'keys', 'master.key'), 'secret');
      const full = storeSizes(directory);
      expect([...full.keys()]).toEqual(['log']);
      const { file = 0, held = 0 } = full.get('log') ?? {};
      expect(held).toBeGreaterThan(VALUES * VALUE_BYTES);
      expect(held).toBeLessThanOrEqual(file);
      await change((values, key) => values.remove(key), VALUES / 2);
      const halved = storeSizes(directory).get('log');
      expect(halved?.held).toBeLessThan(held * 0.6);
      expect(halved?.file).toBeGreaterThanOrEqual(file);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
