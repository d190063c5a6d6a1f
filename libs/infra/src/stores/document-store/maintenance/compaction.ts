import { TimeSlice } from '#domain/shared/time-slice.js';
import { type Build, bufferOf, buildRowOf, nameOf } from '../build.js';
import { rowOf } from '../build-state.js';
import type { Builds } from '../builds/builds.js';
import type { DocumentIndex } from '../document-index.js';
import { collectionsOf, everyEntry } from '../document-ranges.js';
import { encodeBatch } from '../files/batch.js';
import type { Indexing } from '../indexing.js';
import { type DocumentRecord, type Entry, encodeRecord, entryOf } from '../texts/record.js';

/** Smaller files are not compacted. */
const SMALLEST = 2 ** 20;
/** A file is compacted when it is larger than its live documents by this factor. */
const TIMES = 4;
const BATCH_BYTES = 2 ** 18;
/** Delay before the next attempt after a failure such as a full disk. */
const RETRY_MS = 60_000;

/** Compacts the files of builds that keep no past: rewrites them without replaced and removed documents. */
export class Compaction {
  private readonly slice = new TimeSlice();
  private notBefore = 0;

  constructor(
    private readonly builds: Builds,
    private readonly index: DocumentIndex,
    private readonly indexing: Indexing,
  ) {}

  isDue({ keepsPast, file, state }: Build): boolean {
    return (
      !keepsPast &&
      state.removals.length === 0 &&
      file.length > Math.max(SMALLEST, TIMES * state.bytes) &&
      performance.now() >= this.notBefore
    );
  }

  /** No commit may reach the build meanwhile. Throws file system errors and Damaged. */
  async run(build: Build): Promise<void> {
    if (this.builds.of(build.namespace) !== build || !this.isDue(build)) return;
    build.gathered.flush(build.state);
    const { projection, slot } = build.namespace;
    try {
      await this.builds.create(build.namespace, false, async (copy) => {
        await this.copy(build, copy);
        await copy.file.sync();
        await this.builds.catalogue.replace(projection, (row) => ({ ...row, slots: { ...row.slots, [slot]: buildRowOf(copy) } }));
      });
    } catch (error) {
      this.notBefore = performance.now() + RETRY_MS;
      throw error;
    }
    this.builds.remove(build);
  }

  private async copy(build: Build, copy: Build): Promise<void> {
    let records: Buffer[] = [];
    let bytes = 0;
    const { state } = build;
    const append = (): void => {
      copy.file.append(encodeBatch(records, JSON.stringify(rowOf({ ...state, bytes }))));
      copy.stand({ ...state, bytes });
      records = [];
    };
    let size = 0;
    for (const collection of collectionsOf(build, this.index))
      for (const { key, entry } of everyEntry(build, this.index, collection)) {
        const name = nameOf(collection, key);
        const document = joined(build, build.record(name, entry), entry);
        const record = encodeRecord(document, document.body);
        copy.layer.set(collection, key, entryOf(document, copy.gathered.next + size, record.length));
        records.push(record);
        size += record.length;
        bytes += record.length;
        if (size < BATCH_BYTES) continue;
        append();
        size = 0;
        if (this.indexing.isFull) await this.indexing.run(); // it takes the entries of the copy out of memory
        await this.slice.next();
      }
    append();
  }
}

/** A record that needs no earlier one. */
const joined = (build: Build, record: DocumentRecord, place: Entry): DocumentRecord => {
  if (record.kind !== 'piece') return record;
  const body = bufferOf(build.text({ name: record.name, place }).text);
  return { ...record, kind: 'whole', body, deltas: 0, deltaBytes: 0, number: 0, before: undefined };
};
