import { asBinary, type Database } from 'lmdb';

/** The first database has 4-byte integer keys: they are fast, but larger ones would wrap around silently. */
const BORDER = 2 ** 32;

type BlockDatabase = Database<string, number>;

/**
 * Blocks by the position of their first event (see block.ts). Those from 2^32 on have a database of their own, whose keys end at 2^53. A
 * read-only opening has that database only after the first write to it.
 */
export class Blocks {
  private wide: BlockDatabase | undefined;

  constructor(
    private readonly narrow: BlockDatabase,
    private readonly openWide: () => BlockDatabase | undefined,
  ) {
    this.wide = openWide();
  }

  get(position: number): string | undefined {
    return position < BORDER ? this.narrow.get(position) : this.openedWide()?.get(position);
  }

  /** Appends at the end of the log; only inside a transaction. If there are later blocks, it writes nothing and returns false. */
  append(position: number, record: Buffer): boolean {
    const database: Database<unknown, number> | undefined = position < BORDER ? this.narrow : this.openedWide();
    const stored: unknown = database?.putSync(position, asBinary(record), { append: true });
    return database !== undefined && stored !== false;
  }

  /** Only inside a transaction. */
  remove(position: number): void {
    if (position < BORDER) this.narrow.removeSync(position);
    else this.openedWide()?.removeSync(position);
  }

  /** Position of the last block that begins at or before `position`. */
  lastUpTo(position: number): number | undefined {
    const wide = position < BORDER ? undefined : this.openedWide();
    const [last] = wide?.getKeys({ start: position, end: BORDER - 1, reverse: true, limit: 1 }) ?? [];
    if (last !== undefined) return last;
    const [narrow] = this.narrow.getKeys({ start: Math.min(position, BORDER - 1), reverse: true, limit: 1 });
    return narrow;
  }

  /** Blocks that begin from `start` up to `end`, exclusive, in log order. Finish or leave the loop within one turn of the event loop. */
  *range(start: number, end: number): Generator<Readonly<{ key: number; value: string }>> {
    if (start < BORDER) yield* this.narrow.getRange({ start, ...(end < BORDER ? { end } : {}) });
    if (end > BORDER) yield* this.openedWide()?.getRange({ start: Math.max(start, BORDER), end }) ?? [];
  }

  private openedWide(): BlockDatabase | undefined {
    this.wide ??= this.openWide();
    return this.wide;
  }
}
