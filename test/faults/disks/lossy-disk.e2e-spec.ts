import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { randomFrom } from '#test/faults/random.js';
import { diskShim } from '#test/support/event-stores/failing-disk.js';
import { readJournal } from './journal.js';
import { LossyDisk } from './lossy-disk.js';

const folder = mkdtempSync(join(tmpdir(), 'logbook-lossy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shim = diskShim(folder);

const BEFORE = { cut: 'long', emptied: 'full', removed: 'one', renamed: 'two', replaced: 'three', 'tree/leaf': 'four', unlinked: 'five' };

/** `path` and `flush` are defined. `new` and what replaces a file are flushed, their names are not. */
const CHANGES = `
  fs.truncateSync(path('cut'), 1);
  fs.closeSync(fs.openSync(path('emptied'), 'w'));
  fs.rmSync(path('removed'));
  fs.renameSync(path('renamed'), path('name'));
  fs.writeFileSync(path('new'), 'six');
  flush('new');
  fs.renameSync(path('new'), path('replaced'));
  fs.rmSync(path('tree'), { recursive: true });
  fs.unlinkSync(path('unlinked'));`;

/** Files after a process has made the changes and power was lost. @param flushed what it has flushed in the end */
const filesAfter = (flushed: readonly string[]): Readonly<Record<string, string>> => {
  const place = mkdtempSync(join(folder, 'round-'));
  const [data, journal, left] = [join(place, 'data'), join(place, 'journal'), join(place, 'left')];
  mkdirSync(join(data, 'tree'), { recursive: true });
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(data, name), text);
  const disk = new LossyDisk(data);
  const program = `
    const path = (name) => ${JSON.stringify(data)} + name.replace(/^(?=.)/, '/');
    const flush = (name) => { const file = fs.openSync(path(name), 'r'); fs.fsyncSync(file); fs.closeSync(file); };
    ${CHANGES}
    ${JSON.stringify(flushed)}.forEach(flush);`;
  const { status, stderr } = spawnSync(process.execPath, ['--eval', program], {
    env: { ...process.env, ...shim?.recorded(data, journal) },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  for (const change of readJournal(journal)) disk.apply(change);
  disk.writeAfterLoss(left, randomFrom(1), 0);
  const names = readdirSync(left, { recursive: true, withFileTypes: true, encoding: 'utf8' }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map((entry) => [
      join(entry.parentPath, entry.name).slice(left.length + 1),
      readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    ]),
  );
};

/** Needs Linux and a C compiler. */
(shim ? describe : describe.skip)('a disk that loses what was not flushed', () => {
  it('forgets names, removals and truncations', () => {
    expect(filesAfter([])).toEqual(BEFORE);
  });

  it('keeps names and removals by a flush of their directory, but not what was written or cut', () => {
    expect(filesAfter([''])).toEqual({ cut: 'long', emptied: 'full', name: 'two', replaced: 'six' });
  });

  it('keeps truncations by a flush of the file', () => {
    expect(filesAfter(['', 'cut', 'emptied'])).toEqual({ cut: 'l', emptied: '', name: 'two', replaced: 'six' });
  });
});
