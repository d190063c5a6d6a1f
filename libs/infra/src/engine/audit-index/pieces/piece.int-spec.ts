import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collectGarbage } from '#test/support/collect-garbage.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { IndexPiece, PieceDamaged, type PieceInfo } from './piece.js';
import { PieceWriter } from './piece-writer.js';
import { RECORD_BYTES, writeRecord } from './record.js';

let directory: ReturnType<typeof temporaryDirectory>;
let opened: IndexPiece[];
beforeEach(() => {
  directory = temporaryDirectory();
  opened = [];
});
afterEach(() => {
  for (const piece of opened) piece.close();
  directory.remove();
});

const FROM = 7;
const MiB = 2 ** 20;
/** Terms so long that each of them fills a block. */
const termsOf = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => letter + String(n).padStart(6, '0') + letter.repeat(4_500));

/** Writes a piece in which each term has one event, and each stream the event of the same number. */
const write = (terms: readonly string[], streams: readonly string[]): Promise<PieceInfo> => {
  const writer = new PieceWriter(directory.path, FROM);
  for (const [n, term] of [...terms.entries(), ...streams.entries()]) writer.add(term, FROM + n, FROM + n, 1, Buffer.alloc(0));
  const ranks = [...streams.keys()];
  for (const n of terms.keys()) {
    const bytes = Buffer.alloc(RECORD_BYTES);
    const stream = n % streams.length;
    writeRecord({ position: BigInt(n), stream, revision: 0, logTime: n, size: 1, gone: false, continues: false }, bytes);
    writer.addRecord(bytes, ranks);
  }
  return writer.end(0);
};

const open = (info: PieceInfo): IndexPiece => {
  const piece = IndexPiece.open(join(directory.path, info.file), info);
  opened.push(piece);
  return piece;
};

describe('a piece with a large directory', () => {
  it('takes little memory', async () => {
    const info = await write(termsOf('c', 1_600), termsOf('z', 3));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    open(info);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(3 * MiB); // with all terms of the directory: 7 MiB
  });

  it.each([1, 127, 128, 129, 256, 700])('finds each of %i terms, its neighbours, and each stream', async (count) => {
    const [terms, streams] = [termsOf('c', count), termsOf('z', Math.max(1, Math.floor(count / 2)))];
    const piece = open(await write(terms, streams));
    const all = [...terms, ...streams];
    for (const [n, term] of all.entries()) {
      const first = FROM + (n < count ? n : n - count);
      expect(piece.parts(term, Number.POSITIVE_INFINITY).map((part) => part?.first)).toEqual([first, undefined]);
      expect(piece.parts(term, -1).map((part) => part?.first)).toEqual([undefined, first]);
      expect(piece.termFrom(term) === term).toBe(true);
      expect(piece.termFrom(`${term}\0`) === all[n + 1]).toBe(true);
    }
    expect(piece.termFrom('a') === all[0]).toBe(true);
    expect([...piece.rows()].map((row) => row.term).join() === all.join()).toBe(true);
    for (const [rank, stream] of streams.entries()) expect(piece.streamName(rank) === stream).toBe(true);
    expect(() => piece.streamName(streams.length)).toThrow(PieceDamaged);
  });

  it('gives no answer from a part that was changed since it was opened', async () => {
    const terms = termsOf('c', 300);
    const info = await write(terms, termsOf('z', 3));
    const [piece, other] = [open(info), open(info)];
    const descriptor = openSync(join(directory.path, info.file), 'r+');
    const byte = Buffer.alloc(1);
    const at = info.directoryAt + 200 * 4_510;
    readSync(descriptor, byte, 0, 1, at);
    writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, at);
    closeSync(descriptor);
    expect(piece.parts(terms[10] as string, Number.POSITIVE_INFINITY)[0]?.first).toBe(FROM + 10);
    expect(() => piece.parts(terms[200] as string, Number.POSITIVE_INFINITY)).toThrow(PieceDamaged);
    expect(() => [...other.rows()]).toThrow(PieceDamaged);
    expect(() => open(info)).toThrow(PieceDamaged);
  });
});
