import { join } from 'node:path';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { isStream } from '#infra/engine/audit-index/terms.js';
import { IndexPiece, type PieceInfo, type Row } from './piece.js';
import { PieceWriter } from './piece-writer.js';
import { RECORD_BYTES } from './record.js';

/** Time slice in milliseconds, after which other followers of the thread run. */
const SLICE_MS = 5;
const ROWS_OF_STEP = 64;

/** Merges consecutive pieces into one. @throws the reason of the signal if it is aborted; nothing is left of the merge then */
export const mergePieces = async (path: string, infos: readonly PieceInfo[], signal: AbortSignal): Promise<PieceInfo> => {
  const pieces: IndexPiece[] = []; // opened separately, because readers may close theirs at any time
  const writer = new PieceWriter(path, infos[0]?.from ?? 0);
  try {
    for (const info of infos) pieces.push(IndexPiece.open(join(path, info.file), info));
    await mergeInto(writer, pieces, signal);
    return await writer.end(Math.max(...infos.map(({ level }) => level)) + 1);
  } catch (error) {
    writer.discard();
    throw error;
  } finally {
    for (const piece of pieces) piece.close();
  }
};

const mergeInto = async (writer: PieceWriter, pieces: readonly IndexPiece[], signal: AbortSignal): Promise<void> => {
  const slice = new TimeSlice(SLICE_MS);
  const turn = async (): Promise<void> => {
    signal.throwIfAborted();
    if (slice.isOver) await slice.next();
  };
  /** For each piece, the numbers of its streams in the merged one. */
  const ranks: number[][] = pieces.map(() => []);
  let step = 0;
  for (const [place, row] of rowsInOrder(pieces)) {
    if (step++ % ROWS_OF_STEP === 0) await turn();
    writer.add(row.term, row.first, row.last, row.count, row.distances);
    if (row.before === 0 && isStream(row.term)) ranks[place]?.push(writer.streams - 1);
  }
  for (const [place, piece] of pieces.entries())
    for (const records of piece.recordBytes()) {
      await turn();
      for (let at = 0; at < records.length; at += RECORD_BYTES)
        writer.addRecord(records.subarray(at, at + RECORD_BYTES), ranks[place] ?? []);
    }
};

/** Rows by term and index, each with the place of its piece. */
function* rowsInOrder(pieces: readonly IndexPiece[]): Generator<readonly [number, Row]> {
  const sources = pieces.map((piece) => piece.rows());
  const rows = sources.map((source) => nextOf(source));
  for (let place = placeOfLeast(rows); place >= 0; place = placeOfLeast(rows)) {
    yield [place, rows[place] as Row];
    rows[place] = nextOf(sources[place]);
  }
}

const nextOf = (rows: Generator<Row> | undefined): Row | undefined => rows?.next().value ?? undefined;

/** Among rows of one term, that of the earliest piece comes first. */
const placeOfLeast = (rows: readonly (Row | undefined)[]): number => {
  let least = -1;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place];
    if (row && (least < 0 || row.term < (rows[least] as Row).term)) least = place;
  }
  return least;
};
