import { createHash, randomUUID } from 'node:crypto';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Day } from '#domain/shared/time.js';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { CHECKSUM_BYTES, checkedBytes, checkedText, withChecksum } from '#infra/platform/lmdb/checksum.js';
import { openResultsDatabases, type ResultsDatabases } from './databases.js';
import { packGroup, packSummary, unpackGroup, unpackSummary } from './packing.js';

/** A report on a day. */
export type ReportDay = Readonly<{ tenantId: string; report: string; day: Day }>;

/** Inputs of the results of a day, and the time of computation. */
export type Proof = Readonly<{
  /** Stamp of all inputs except points. */
  plan: string;
  /** Stamp of the points of the day and of the day before. */
  points: string;
  /** Second of the day up to which they count, 86,400 for a past day. */
  seconds: number;
  /** Second of the day from which on they are outdated, because different input begins to count; absent if none does. */
  until?: number;
  /** Milliseconds since 1970-01-01 UTC of the state shown, for the age of results of an unfinished day. */
  at: number;
}>;

/** Record about the stored results of a day. Its other documents are written and removed in the same transactions. */
type Head = Proof &
  Readonly<{
    tenantId: string;
    report: string;
    day: Day;
    /** Name of the report when the record was written. */
    name: string;
    /** Id of the writer, which alone knows which groups have changed since. */
    writer: string;
    bytes: number;
  }>;

type ResultsStoreOptions = Readonly<{
  path: string;
  /** Maximum total size of the documents; beyond it the oldest days are removed. Default 4 GiB. */
  maxBytes?: number;
  /** Receives a sentence about why documents were deleted. */
  report: (message: string) => void;
}>;

const MAX_BYTES = 4 * 2 ** 30;
const SUMMARIES_BYTES = 16 * 2 ** 20;
/** Approximate memory of unpacked results per character of JSON. */
const UNPACKED = 4;
const SIZE = 'size';
/** The fastest compression level still reduces documents to a fifth. */
const COMPRESSION = { level: 1 } as const;
const SEPARATOR = '\0';
/** Sorts after every key that begins with the separator. */
const AFTER = '\u0001';
const GROUP_ID_LENGTH = 24;

/**
 * Computed results on disk, a cache for the computation. A document is used only with the requested proof and a valid checksum; a missing
 * or damaged one is computed again. One thread writes, any may read.
 */
export class ResultsStore {
  private readonly maxBytes: number;
  private readonly writer = randomUUID();
  /** Summaries of days as last read, with the bytes from which they were unpacked: many reads ask for the same day. */
  private readonly summaries = new LRUCache<string, Readonly<{ stored: Buffer; summary: ResultsDay }>>({ maxSize: SUMMARIES_BYTES });

  private constructor(
    private readonly databases: ResultsDatabases,
    options: ResultsStoreOptions,
  ) {
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
  }

  /** @throws EnvironmentError */
  static open(options: ResultsStoreOptions): ResultsStore {
    return new ResultsStore(openResultsDatabases(options.path, options.report), options);
  }

  /** Proof of the stored results of a day; undefined if there are none. */
  proof(key: ReportDay): Proof | undefined {
    this.databases.root.resetReadTxn();
    return this.head(key);
  }

  /** Groups and groups of groups, if they were stored with this plan and these points. */
  summary(key: ReportDay, proof: Pick<Proof, 'plan' | 'points'>): ResultsDay | undefined {
    this.databases.root.resetReadTxn();
    if (!proves(this.head(key), proof)) return undefined;
    const name = nameOf(key);
    const stored = this.databases.summaries.get(name);
    const known = this.summaries.get(name);
    if (stored && known?.stored.equals(stored)) return known.summary;
    const text = textOf(name, stored);
    if (!stored || text === undefined) return undefined;
    const summary = unpackSummary(text);
    this.summaries.set(name, { stored, summary }, { size: stored.length + UNPACKED * text.length });
    return summary;
  }

  /** A group with everything below it, under the same condition. */
  group(key: ReportDay, proof: Pick<Proof, 'plan' | 'points'>, group: string): GroupDay | undefined {
    this.databases.root.resetReadTxn();
    if (!proves(this.head(key), proof)) return undefined;
    const name = nameOfGroup(nameOf(key), group);
    const text = textOf(name, this.databases.groups.get(name));
    return text === undefined ? undefined : unpackGroup(text);
  }

  /**
   * Replaces the stored results of a day, all or nothing.
   * @param changed names of the groups that differ from the last write of this object for the day with the same plan. Default: all
   */
  write(key: ReportDay & Readonly<{ name: string }>, proof: Proof, results: ResultsDay<GroupDay>, changed?: ReadonlySet<string>): void {
    const { environment, root, summaries, groups, heads } = this.databases;
    const day = nameOf(key);
    root.resetReadTxn();
    const before = this.head(key);
    const keeps = before?.plan === proof.plan && before.writer === this.writer ? changed : undefined;
    const stored = new Set(before ? this.groupsOf(day) : []);
    const documents = new Map<string, Buffer>();
    for (const group of results.groups) {
      const name = nameOfGroup(day, group.name);
      const isKept = stored.delete(name) && keeps?.has(group.name) === false;
      if (!isKept) documents.set(name, bytesOf(name, packGroup(group)));
    }
    const summary = bytesOf(day, packSummary(results));
    environment.requireRoom();
    root.transactionSync(() => {
      let bytes = (before?.bytes ?? 0) + summary.length - (summaries.get(day)?.length ?? 0);
      for (const name of stored) bytes -= this.removeGroup(name);
      summaries.putSync(day, summary);
      for (const [name, document] of documents) {
        bytes += document.length - (groups.get(name)?.length ?? 0);
        groups.putSync(name, document);
      }
      const head: Head = { ...proof, ...key, writer: this.writer, bytes };
      heads.putSync(day, withChecksum(day, JSON.stringify(head)));
      this.resize(bytes - (before?.bytes ?? 0), day);
    });
  }

  /** Records another proof for unchanged results. */
  confirm(key: ReportDay, proof: Proof): void {
    const name = nameOf(key);
    this.databases.environment.requireRoom();
    this.databases.root.transactionSync(() => {
      const head = this.head(key);
      if (!head) return;
      const { until: _, ...rest } = head;
      this.databases.heads.putSync(name, withChecksum(name, JSON.stringify({ ...rest, ...proof } satisfies Head)));
    });
  }

  /** Stored days, newest first; of every report, or of one. */
  *days(of?: Omit<ReportDay, 'day'>): Generator<ReportDay & Proof> {
    yield* this.heads(of && `${SEPARATOR}${of.tenantId}${SEPARATOR}${of.report}`);
  }

  get isEmpty(): boolean {
    return this.reports().next().done === true;
  }

  /** Reports with stored days, each with its last name. */
  *reports(): Generator<Omit<ReportDay, 'day'> & Readonly<{ name: string }>> {
    const seen = new Set<string>();
    for (const { tenantId, report, name } of this.heads()) {
      const key = JSON.stringify([tenantId, report]);
      if (seen.has(key)) continue;
      seen.add(key);
      yield { tenantId, report, name };
    }
  }

  /** In one transaction: each waits for the disk. */
  remove(keys: Iterable<ReportDay>): void {
    const stored = [...keys].filter((key) => this.proof(key)).map(nameOf);
    if (stored.length === 0) return;
    this.databases.environment.requireRoom();
    this.databases.root.transactionSync(() => this.resize(-stored.reduce((bytes, name) => bytes + this.removeDay(name), 0)));
  }

  /** Removes everything. Heads are removed first, because nothing is used without one. */
  async clear(): Promise<void> {
    const { environment, heads, summaries, groups, meta } = this.databases;
    environment.requireRoom();
    for (const database of [heads, summaries, groups, meta]) await database.clearAsync();
  }

  /** @throws Error the disk has too little space for writes */
  requireRoom(): void {
    this.databases.environment.requireRoom();
  }

  /** Bytes of all documents. */
  get bytes(): number {
    return Number(checkedText(SIZE, this.databases.meta.get(SIZE) ?? '') ?? 0);
  }

  /** A row of its own, such as the origin of results; undefined if there is none. */
  row(key: string): string | undefined {
    this.databases.root.resetReadTxn();
    return checkedText(key, this.databases.meta.get(key) ?? '');
  }

  putRow(key: string, text: string): void {
    this.databases.environment.requireRoom();
    this.databases.root.transactionSync(() => this.setRow(key, text));
  }

  close(): Promise<void> {
    return this.databases.environment.close();
  }

  private *heads(ending = ''): Generator<Head> {
    this.databases.root.resetReadTxn();
    for (const name of [...this.databases.heads.getKeys({ reverse: true })]) {
      const head = name.endsWith(ending) ? this.headAt(name) : undefined;
      if (head) yield head;
    }
  }

  private head(key: ReportDay): Head | undefined {
    return this.headAt(nameOf(key));
  }

  private headAt(name: string): Head | undefined {
    const text = checkedText(name, this.databases.heads.get(name) ?? '');
    return text === undefined ? undefined : (JSON.parse(text) as Head);
  }

  private groupsOf(day: string): readonly string[] {
    return [...this.databases.groups.getKeys({ start: `${day}${SEPARATOR}`, end: `${day}${AFTER}` })];
  }

  /** Must run inside a transaction, like the methods below. Returns the number of freed bytes. */
  private removeGroup(name: string): number {
    const bytes = this.databases.groups.get(name)?.length ?? 0;
    this.databases.groups.removeSync(name);
    return bytes;
  }

  /** Returns the number of freed bytes. */
  private removeDay(name: string): number {
    const bytes = this.headAt(name)?.bytes ?? 0;
    this.databases.heads.removeSync(name);
    this.databases.summaries.removeSync(name);
    for (const group of this.groupsOf(name)) this.databases.groups.removeSync(group);
    return bytes;
  }

  /** Removes the oldest days first, but never the one just written. */
  private resize(change: number, written?: string): void {
    let bytes = this.bytes + change;
    if (bytes > this.maxBytes) {
      for (const name of [...this.databases.heads.getKeys({})]) {
        if (bytes <= this.maxBytes) break;
        if (name !== written) bytes -= this.removeDay(name);
      }
    }
    this.setRow(SIZE, `${bytes}`);
  }

  private setRow(key: string, text: string): void {
    this.databases.meta.putSync(key, withChecksum(key, text));
  }
}

const nameOf = ({ tenantId, report, day }: ReportDay): string => [day, tenantId, report].join(SEPARATOR);

/** Key of the group's document. Group names may be longer than keys. */
const nameOfGroup = (day: string, group: string): string =>
  `${day}${SEPARATOR}${createHash('sha256').update(group).digest('base64url').slice(0, GROUP_ID_LENGTH)}`;

const proves = (head: Head | undefined, { plan, points }: Pick<Proof, 'plan' | 'points'>): boolean =>
  head !== undefined && head.plan === plan && head.points === points;

/** Compressed text with a checksum that covers the name. */
const bytesOf = (name: string, text: string): Buffer => {
  const body = deflateRawSync(text, COMPRESSION);
  const checksum = Buffer.allocUnsafe(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(body, crc32(name)));
  return Buffer.concat([body, checksum]);
};

const textOf = (name: string, stored: Buffer | undefined): string | undefined => {
  const body = stored && checkedBytes(name, stored);
  return body && inflateRawSync(body).toString('utf8');
};
