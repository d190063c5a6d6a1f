import type { Database } from 'lmdb';

/** Keys of the first database are integers of 4 bytes: fast, but from here on they would wrap around silently. */
const BORDER = 2 ** 32;

type BlockDatabase = Database<string, number>;

/**
 * Position of a block's first event to the block (see block.ts). Those from 2^32 on have a database of their own, whose keys end at 2^53; a log
 * opened for reading has it only once somebody wrote there.
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

  /** Only inside a transaction, at the end of the log. False, and nothing is written, when there are later ones. */
  append(position: number, record: string): boolean {
    const database = position < BORDER ? this.narrow : this.openedWide();
    const stored: unknown = database?.putSync(position, record, { append: true });
    return database !== undefined && stored !== false;
  }

  /** Only inside a transaction. */
  remove(position: number): void {
    if (position < BORDER) this.narrow.removeSync(position);
    else this.openedWide()?.removeSync(position);
  }

  /** Where the last block begins that does not begin after `position`. */
  lastUpTo(position: number): number | undefined {
    const wide = position < BORDER ? undefined : this.openedWide();
    const [last] = wide?.getKeys({ start: position, end: BORDER - 1, reverse: true, limit: 1 }) ?? [];
    if (last !== undefined) return last;
    const [narrow] = this.narrow.getKeys({ start: Math.min(position, BORDER - 1), reverse: true, limit: 1 });
    return narrow;
  }

  /** Those that begin from `start` up to `end`, exclusive, in the order of the log. Run it to its end or leave it within one event turn. */
  *range(start: number, end: number): Generator<Readonly<{ key: number; value: string }>> {
    if (start < BORDER) yield* this.narrow.getRange({ start, ...(end < BORDER ? { end } : {}) });
    if (end > BORDER) yield* this.openedWide()?.getRange({ start: Math.max(start, BORDER), end }) ?? [];
  }

  private openedWide(): BlockDatabase | undefined {
    this.wide ??= this.openWide();
    return this.wide;
  }
}
