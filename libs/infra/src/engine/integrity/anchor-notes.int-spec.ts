import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signedNote } from '#domain/integrity/checkpoint.js';
import { AnchorNotes } from './anchor-notes.js';
import type { Anchors } from './anchors.js';

const ANCHOR = {
  size: 1,
  root: '00'.repeat(32),
  time: '',
  position: '1',
  text: 'logbook\n1\nAAAA\n',
  signature: 'AAAA',
  keyId: 'k',
  signedAt: '',
};
const KEY = { keyId: 'k', x: 'AAAA', since: '', until: null };

let directory: string;
let notes: AnchorNotes;
let warnings: string[];

/** Notes of anchors of these sizes. */
const notesOf = (...sizes: readonly number[]): AnchorNotes => {
  const all = sizes.map((size) => ({ ...ANCHOR, size, text: `logbook\n${size}\nAAAA\n` }));
  const list: Anchors['list'] = ({ order, after }) =>
    order === 'desc'
      ? all.toReversed().filter(({ size }) => size < (after ?? Number.POSITIVE_INFINITY))
      : all.filter(({ size }) => size > (after ?? 0));
  return new AnchorNotes({
    directory: join(directory, 'notes'),
    anchors: { list } as Anchors,
    keys: async () => [KEY],
    log: { warn: (_facts: object, text: string) => void warnings.push(text) } as never,
  });
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-notes-'));
  warnings = [];
  notes = notesOf(ANCHOR.size);
});
afterEach(async () => {
  await notes.stop();
  rmSync(directory, { recursive: true });
});

/** Resolves after an attempt to write. */
const write = async (of = notes): Promise<void> => {
  of.write();
  await Reflect.get(of, 'running');
};

describe('Notes of anchors', () => {
  it('are written once the disk is back; of its failures, the first, second and fourth are logged', async () => {
    writeFileSync(join(directory, 'notes'), 'no directory');
    for (let attempt = 1; attempt <= 7; attempt++) await write();
    expect(warnings).toEqual(Array.from({ length: 3 }, () => 'anchors cannot be written to LOGBOOK_ANCHOR_DIR now'));
    rmSync(join(directory, 'notes'));
    await write();
    expect(readFileSync(join(directory, 'notes', '1.note'), 'utf8')).toBe(signedNote(ANCHOR, KEY.x));
  });

  it('that are missing are written after a start, without reading those before the newest one', async () => {
    await write(notesOf(1, 2, 3));
    const file = (size: number) => join(directory, 'notes', `${size}.note`);
    rmSync(file(1));
    mkdirSync(file(1)); // reading it fails
    rmSync(file(2));
    await write(notesOf(1, 2, 3, 4));
    expect([readFileSync(file(2), 'utf8'), readFileSync(file(4), 'utf8')]).toEqual([
      expect.stringContaining('logbook\n2\n'),
      expect.stringContaining('logbook\n4\n'),
    ]);
    expect(warnings).toEqual([]);
  });

  it('leave the event loop to others while the disk does not answer', async () => {
    await write();
    rmSync(join(directory, 'notes', '1.note'));
    // A pipe without a reader is a file that nobody can open for writing.
    const pipe = join(directory, 'notes', `1.note.${process.pid}.${threadId}.tmp`);
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('sh', ['-c', 'sleep 1; cat "$0"', pipe], { stdio: 'ignore' });
    const ended = once(reader, 'exit');
    let turns = 0;
    const counting = setInterval(() => turns++, 10);
    notes.write(ANCHOR.size);
    await ended;
    clearInterval(counting);
    expect(turns).toBeGreaterThan(2);
  });
});
