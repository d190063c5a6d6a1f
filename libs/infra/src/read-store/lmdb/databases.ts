import type { Database, RootDatabase } from 'lmdb';
import { BuildRecords } from './build-records.js';
import { write } from './writer.js';

export type Slot = 'a' | 'b';

export type DocumentDatabase = Database<Buffer, string>;
export type Slots = Readonly<Record<Slot, DocumentDatabase>>;

/** 2: secrets and personal data are sealed. 3: documents and books have checksums. */
export const READ_MODEL_FORMAT = 3;

/** The database of the books on builds (see namespaces.ts). */
export const BUILD_RECORDS = 'meta';

/** At most two per projection, and one for what is known about them all. */
export const MAX_DATABASES = 1_024;

/**
 * A string is written as its UTF-8 bytes, without a detour over a Buffer of its own; bytes (bounds that are no text) as they are: LMDB
 * compares byte by byte. `target` is lmdb's scratch memory: a RangeError makes it fetch a fresh piece, whereas
 * `write` alone would cut the key off silently.
 */
const keyEncoder = {
  writeKey(key: string | Uint8Array, target: Buffer, position: number): number {
    if (typeof key !== 'string') {
      target.set(key, position);
      return position + key.length;
    }
    const room = target.length - position;
    if (key.length * 3 > room && Buffer.byteLength(key) > room) throw new RangeError('the key does not fit');
    return position + target.write(key, position);
  },
  readKey: (source: Buffer, start: number, end: number): string => source.toString('utf8', start, end),
};

/** lmdb hands out its own memory, overwritten by the next read; a pooled copy costs a third of what its `binary` encoding does. */
const copyingEncoder = {
  encode: (bytes: Buffer): Buffer => bytes,
  decode(bytes: Buffer): Buffer {
    const length = bytes.length;
    const copy = Buffer.allocUnsafe(length);
    copy.set(bytes.subarray(0, length));
    return copy;
  },
};

const documentOptions = { encoding: 'binary', keyEncoder, encoder: copyingEncoder } as const;

/**
 * Opens the databases of an environment: `meta` (see namespaces.ts) and one per projection and slot, named `<projection>/<slot>`.
 * They are cleared, never dropped: a handle kept after a drop would write to whichever database got its place.
 */
export class Databases {
  readonly meta: BuildRecords;
  private readonly slots = new Map<string, Slots>();
  private readonly opening = new Map<string, Promise<Slots>>();

  constructor(private readonly root: RootDatabase) {
    this.meta = new BuildRecords(root.openDB<string, string>(BUILD_RECORDS, { encoding: 'string' }));
  }

  /** The database, if this process has opened it. */
  opened(projection: string, slot: Slot): DocumentDatabase | undefined {
    return this.slots.get(projection)?.[slot];
  }

  /**
   * Opens what of a projection is not open yet. In a transaction that waits for its turn: outside of one, `openDB` would stop the event loop until
   * whoever writes just now has done so, for ever if that needs this event loop.
   */
  async open(projection: string): Promise<Slots> {
    const opened = this.slots.get(projection);
    if (opened) return opened;
    let opening = this.opening.get(projection);
    if (!opening) {
      opening = write(this.root, () => ({ a: this.openSlot(projection, 'a'), b: this.openSlot(projection, 'b') }));
      this.opening.set(projection, opening);
    }
    try {
      const slots = await opening;
      this.slots.set(projection, slots);
      return slots;
    } finally {
      this.opening.delete(projection);
    }
  }

  private openSlot(projection: string, slot: Slot): DocumentDatabase {
    return this.root.openDB<Buffer, string>(`${projection}/${slot}`, documentOptions);
  }
}
