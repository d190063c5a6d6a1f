import type { Position } from '#domain/shared/events.js';
import type { Namespace } from '#projections/shared/read-store.js';
import { type BuildState, NEW_BUILD, rowOf, stateAfter } from './build-state.js';
import type { BuildRow } from './builds/catalogue.js';
import type { Coverage, DocumentIndex } from './document-index.js';
import type { BuildFile, ReadRecords } from './files/build-file.js';
import { GatheredCommits } from './gathered.js';
import { Layer } from './layer.js';
import {
  bodyLengthIn,
  Damaged,
  type DocumentRecord,
  decodeRecordOf,
  type Entry,
  entryOf,
  type FileRange,
  HEAD_BYTES,
  type Links,
  lengthOf,
  linksIn,
  textLengthOf,
  type VersionPlace,
  versionsBack,
  type WantedDocument,
} from './texts/record.js';
import type { CachedText, TextCache } from './texts/text-cache.js';
import { TextChain } from './texts/text-chain.js';

/** For the length of a text, longer records are not read. */
const MOST_READ = 4_096;

export const nameOf = (collection: string, key: string): string => `${collection}\0${key}`;

/** A build whose documents can be read as of `from` to `checkpoint`. `versions`: number of documents and their earlier versions. */
export type PastBuild = Readonly<{
  from: Position;
  checkpoint: Position;
  origin: string | null;
  version: number;
  versions: number;
  isServed: boolean;
}>;

type BuildParts = Readonly<{ namespace: Namespace; keepsPast: boolean; file: BuildFile; index: DocumentIndex; cache: TextCache }>;

/** The documents of a build: its file, its part of the index, and in memory all entries that are not yet indexed. */
export class Build {
  readonly namespace: Namespace;
  readonly keepsPast: boolean;
  readonly file: BuildFile;
  readonly layer = new Layer();
  readonly gathered: GatheredCommits;
  /** State after all commits, including gathered ones. */
  state: BuildState;
  /** Work in progress; commits wait until it ends. */
  busy: Promise<void> | undefined;
  /** State of the file in the index. */
  coverage: Coverage = { covered: 0, upTo: 0, row: rowOf(NEW_BUILD) };
  private readonly index: DocumentIndex;
  private readonly cache: TextCache;

  constructor({ namespace, keepsPast, file, index, cache }: BuildParts) {
    this.namespace = namespace;
    this.keepsPast = keepsPast;
    this.file = file;
    this.index = index;
    this.cache = cache;
    this.state = NEW_BUILD;
    this.gathered = new GatheredCommits(file, this.state);
  }

  /** Returns whether only the checkpoint has moved since all of the file was indexed: then the file need not grow. */
  get isPassing(): boolean {
    return this.gathered.isPassing(this.state) && this.file.length === this.coverage.covered;
  }

  /** Loads the indexed state. @throws Damaged the file is shorter than the index says */
  load(): void {
    this.file.load();
    const known = this.index.coverage(this.file.number);
    if (!known) return;
    this.stand(stateAfter(NEW_BUILD, known.row));
    this.coverage = known;
    this.file.startAt(known.covered);
    if (this.file.size() < known.upTo) throw new Damaged('the build file is too short');
  }

  /** Adds records that follow everything loaded so far. */
  apply({ records, row }: ReadRecords): void {
    for (const { offset, length, record } of records) {
      const end = record.name.indexOf('\0');
      this.layer.set(record.name.slice(0, end), record.name.slice(end + 1), entryOf(record, offset, length));
    }
    if (row) this.stand(stateAfter(this.state, row));
  }

  /** Sets the state at the end of the file. */
  stand(state: BuildState): void {
    this.state = state;
    this.gathered.stand(state);
  }

  /** Records up to where the index covers the file. */
  cover(coverage: Coverage): void {
    this.coverage = coverage;
    this.layer.forget(coverage.covered);
  }

  /**
   * Loads what another process has written since. Returns false if that process took something back; the build must then be read again.
   * @throws Damaged
   */
  follow(): boolean {
    const { file } = this;
    const known = this.index.coverage(file.number) ?? this.coverage;
    if (known.covered > file.length) {
      this.stand(stateAfter(NEW_BUILD, known.row));
      file.startAt(known.covered);
    }
    if (known.covered > this.coverage.covered) this.cover(known);
    else if (known.covered === file.length) this.passTo(known);
    const size = file.size();
    if (size < file.length) return false;
    if (size > file.length) for (const batch of file.batches()) this.apply(batch);
    if (file.length < known.upTo) throw new Damaged('the build file is too short');
    return true;
  }

  /** The index may hold a later checkpoint than the end of the file. */
  private passTo({ row }: Coverage): void {
    const state = stateAfter(NEW_BUILD, row);
    if (state.commits > this.state.commits) this.stand(state);
  }

  /** Entry of an existing document. */
  live(collection: string, key: string): Entry | undefined {
    const entry = this.layer.get(collection, key);
    return entry ? (entry.isAlive ? entry : undefined) : this.index.get(this.file.number, nameOf(collection, key));
  }

  /** Entry of an existing or removed document. */
  entry(collection: string, key: string): Entry | undefined {
    const entry = this.layer.get(collection, key);
    if (entry) return entry;
    const { number } = this.file;
    return this.keepsPast ? this.index.find(number, nameOf(collection, key)) : this.index.get(number, nameOf(collection, key));
  }

  /** @throws Damaged */
  text(wanted: WantedDocument): CachedText {
    const known = this.cached(wanted.name, wanted.place);
    if (known) return known;
    const chain = new TextChain(wanted);
    for (let next: FileRange | undefined = wanted.place; next; next = this.rest(chain)) chain.add(this.record(wanted.name, next));
    return this.joined(chain);
  }

  /** Returns the texts in the given order; records that lie close together are read in one call. @throws Damaged */
  texts(wanted: readonly WantedDocument[]): readonly Buffer[] {
    const found = wanted.map((one) => this.cached(one.name, one.place) ?? new TextChain(one));
    const chains = found.filter((one) => one instanceof TextChain);
    for (let open = chains; open.length > 0; open = open.filter((chain) => this.rest(chain))) {
      const written = open.filter(({ next }) => next && !this.gathered.record(next.offset));
      const read = this.file.records(written.flatMap(({ name, next }) => (next ? { name, place: next } : []))).values();
      for (const chain of open) {
        const record = chain.next && this.gathered.record(chain.next.offset);
        chain.add(record ? decodeRecordOf(chain.name, record) : (read.next().value as DocumentRecord));
      }
    }
    return found.map((one) => bufferOf((one instanceof TextChain ? this.joined(one) : one).text));
  }

  /** Length of a text, in bytes. @throws Damaged */
  length({ name, place }: WantedDocument): number {
    const known = this.cached(name, place);
    if (known) return lengthOf(known.text);
    const isStored = !this.gathered.record(place.offset) && !this.file.isMerged(place);
    const isLong = isStored && place.length > MOST_READ && place.version === undefined;
    const length = isLong ? bodyLengthIn(this.file.read({ ...place, length: HEAD_BYTES }), place.length) : undefined;
    if (length !== undefined) return length;
    const [version] = versionsBack(this.record(name, place), place.version);
    return version ? textLengthOf(version) : 0;
  }

  /** The record that the chain needs next, unless the text before it is in memory. */
  private rest(chain: TextChain): FileRange | undefined {
    const known = chain.next && this.cached(chain.name, chain.next);
    if (known) chain.begin(bufferOf(known.text));
    return chain.next;
  }

  private joined(chain: TextChain): CachedText {
    const made = chain.join();
    if (chain.place.version === undefined) this.remember(chain.name, made);
    return made;
  }

  /** @throws Damaged */
  record(name: string, place: FileRange): DocumentRecord {
    const gathered = this.gathered.record(place.offset);
    return gathered ? decodeRecordOf(name, gathered) : this.file.record(name, place);
  }

  /** Links of a record. @throws Damaged */
  links(name: string, place: FileRange): Links {
    const gathered = this.gathered.record(place.offset);
    return gathered ? linksIn(gathered) : this.record(name, place);
  }

  remember(name: string, text: CachedText): void {
    this.cache.set(this.file.number, name, text);
  }

  /** Returns the text if it is in memory. Of the versions in a record, only the newest can be. */
  cached(name: string, { offset, version }: VersionPlace): CachedText | undefined {
    return version === undefined ? this.cache.get(this.file.number, name, offset) : undefined;
  }
}

export const bufferOf = (text: Buffer | string): Buffer => (typeof text === 'string' ? Buffer.from(text) : text);

/** Catalogue row of the build. */
export const buildRowOf = ({ namespace: { version, generation }, file, keepsPast }: Build): BuildRow => ({
  file: file.number,
  version,
  generation,
  past: keepsPast,
  ...(file.layout && { layout: file.layout }),
});
