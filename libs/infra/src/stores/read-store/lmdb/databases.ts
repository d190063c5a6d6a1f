import type { Database, RootDatabase } from 'lmdb';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { copiedBytes } from '#infra/platform/lmdb/copied-bytes.js';
import { BuildRecords } from './build-records.js';
import { write } from './writer.js';

export type Slot = 'a' | 'b';

export type DocumentDatabase = Database<Buffer, string>;
export type Slots = Readonly<Record<Slot, DocumentDatabase>>;

/** 2: secrets and personal data are sealed. 3: documents and build records have checksums. */
export const READ_MODEL_FORMAT = 3;

/** Name of the database of the build records (see namespaces.ts). */
export const BUILD_RECORDS = 'meta';

/** At most two per projection, and one for the build records. */
export const MAX_DATABASES = 1_024;

/**
 * Writes a string as its UTF-8 bytes, without a Buffer of its own, and bytes (bounds that are no text) as they are: LMDB compares byte by
 * byte. `target` is lmdb's scratch memory: a RangeError makes it fetch a fresh piece, whereas `write` alone would silently cut the key off.
 */
export const keyEncoder = {
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

const documentOptions = { encoding: 'binary', keyEncoder, encoder: copiedBytes } as const;

/**
 * Opens the databases of an environment: `meta` (see namespaces.ts), and one per projection and slot, named `<projection>/<slot>`. They are
 * cleared, never dropped: a handle kept after a drop would write to the database that got its place.
 */
export class Databases {
  readonly meta: BuildRecords;
  private readonly slots = new Map<string, Slots>();
  private readonly opening = new Map<string, Promise<Slots>>();

  /** @param readOnly only databases that are there are opened */
  constructor(
    private readonly root: RootDatabase,
    private readonly readOnly = false,
  ) {
    this.meta = new BuildRecords(root.openDB<string, string>(BUILD_RECORDS, { encoding: 'string' }));
  }

  /** The database, if this process has opened it. */
  opened(projection: string, slot: Slot): DocumentDatabase | undefined {
    return this.slots.get(projection)?.[slot];
  }

  /**
   * Opens the databases of a projection. It does so in a transaction that waits for its turn: outside of one, `openDB` would block the
   * event loop until the current writer is done, for ever if that needs this event loop.
   */
  async open(projection: string): Promise<Slots> {
    const opened = this.slots.get(projection);
    if (this.readOnly) return this.found(projection, opened);
    if (opened) return opened;
    const bothSlots = (): Slots => ({ a: this.openSlot(projection, 'a'), b: this.openSlot(projection, 'b') });
    try {
      const slots = await getOrInsert(this.opening, projection, () => write(this.root, bothSlots));
      this.slots.set(projection, slots);
      return slots;
    } finally {
      this.opening.delete(projection);
    }
  }

  /** Opens what another process has made, without waiting for anybody. A slot that is not there is looked for again, once. */
  private found(projection: string, before: Slots | undefined): Slots {
    const slots = { a: this.openSlot(projection, 'a'), b: this.openSlot(projection, 'b') };
    const missing = Object.values<DocumentDatabase | undefined>(slots).some((slot) => slot === undefined);
    if (missing && before) throw new Error(`documents of ${projection} are not there`);
    this.slots.set(projection, slots);
    return slots;
  }

  private openSlot(projection: string, slot: Slot): DocumentDatabase {
    return this.root.openDB<Buffer, string>(`${projection}/${slot}`, documentOptions);
  }
}
