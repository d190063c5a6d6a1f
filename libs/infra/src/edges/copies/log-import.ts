import { mayExpire } from '#domain/integrity/expiring.js';
import { EMPTY_ROOT, Frontier } from '#domain/integrity/merkle.js';
import type { Retention } from '#domain/shared/event-store.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';
import { chainAtHead } from './chain-at-head.js';
import { CopyRefused, DamagedCopy } from './damaged-copy.js';
import type { EventLine, ExportHeader } from './export-lines.js';
import { ExportReader, type ReadStep } from './export-reader.js';
import { type ImportBegun, markBegun, markEnded, unfinishedImport } from './import-marker.js';
import type { TrustedKeys } from './import-trust.js';
import { doesNotFit, parseHeader } from './parse-line.js';
import { type NumberedLine, readLines } from './read-lines.js';
import { StreamWriter } from './stream-writer.js';

type ImportOptions = Readonly<{
  target: ImportTarget;
  /** Bytes of the export, unpacked. */
  input: AsyncIterable<Uint8Array>;
  /**
   * The same bytes again, to read all of them before anything is written. Default: input that cannot be read twice is checked on writing.
   */
  check?: AsyncIterable<Uint8Array> | undefined;
  /** All event types of the log except those of subjects' keys. Others are refused. */
  catalogues: Catalogues;
  /** Every anchor must be signed with one of them, and there must be at least one anchor. */
  keys: TrustedKeys;
  /** Accept events behind the last anchor, which are not signed. Default `false`. */
  unsignedTail?: boolean;
  /** Retention of messages and cursors from now on. `keyed`: whether an event of the stream has an idempotency key. */
  retentionOf(stream: string, keyed: boolean): Retention | Promise<Retention>;
  /** Called when all events are written, before the log can be served. */
  beforeServing?(): Promise<void>;
  onProgress?(index: number, size: number, phase: 'check' | 'import'): void;
}>;

/** `signedTo`: the events up to this index were signed with the given keys; `null` if none were given. */
export type ImportedLog = Readonly<{ installation: string; size: number; root: string; signedTo: number | null }>;

/**
 * Writes the events of an export into an empty log, or behind the events that it continues. Until it ends, the log is marked as not to be
 * served. A killed import continues when it gets the same file again.
 * @throws CopyRefused the log cannot take this export, or keys are given and not all of it is signed
 * @throws DamagedCopy a line does not fit; the message contains its number
 */
export const importLog = async (options: ImportOptions): Promise<ImportedLog> => {
  const lines = readLines(options.input);
  const first = await lines.next();
  if (first.done) throw new DamagedCopy('line 1: the export is empty');
  const header = parseHeader(first.value);
  const { target, check } = options;
  const unfinished = await unfinishedImport(target);
  const begun = unfinished ? goingOn(unfinished, header) : await beginning(target, header, first.value);
  if (check) await checked(options, header, begun, readLines(check));
  if (!unfinished) await markBegun(target, begun);
  return new LogImport(options, header, begun).run(lines);
};

const goingOn = (unfinished: ImportBegun, { installation, from, size, root }: ExportHeader): ImportBegun => {
  const isSame =
    unfinished.installation === installation && unfinished.from === from && unfinished.size === size && unfinished.root === root;
  if (isSame) return unfinished;
  throw new CopyRefused('this log holds a part of another import: finish that one, or start with an empty log');
};

/** Facts recorded about an import. */
const beginning = async (target: ImportTarget, header: ExportHeader, line: NumberedLine): Promise<ImportBegun> => {
  const { installation, from, size, root } = header;
  const tree = from === 0 ? await emptyTree(target) : await continuedTree(target, header, line);
  return { installation, from, size, root, frontier: tree.encode() };
};

const readerOf = ({ catalogues, keys }: ImportOptions, header: ExportHeader, { frontier }: ImportBegun): ExportReader =>
  new ExportReader({ header, tree: Frontier.decode(header.from, frontier), catalogues, keys });

/** Reads the whole export without writing anything. @throws CopyRefused, DamagedCopy */
const checked = async (options: ImportOptions, header: ExportHeader, begun: ImportBegun, lines: AsyncGenerator<NumberedLine>) => {
  const reader = readerOf(options, header, begun);
  await lines.next(); // the first line
  for await (const step of reader.read(lines)) tellProgress(step, options, header, 'check');
  requireSigned(options, header, reader.signedTo);
};

const tellProgress = (step: ReadStep, { onProgress }: ImportOptions, { size }: ExportHeader, phase: 'check' | 'import'): void => {
  const index = 'event' in step ? step.event.index : null;
  if (index !== null && index % PROGRESS_EVENTS === 0) onProgress?.(index, size, phase);
};

/** @throws CopyRefused */
const requireSigned = ({ keys, unsignedTail = false }: ImportOptions, { from, size }: ExportHeader, signedTo: number): void => {
  if (!keys || signedTo === size || (unsignedTail && signedTo > from)) return;
  const remedy = 'Make an anchor (`logbook audit anchor`) and export again';
  throw new CopyRefused(
    signedTo === from
      ? `not verified: no anchor of the export is behind its first event. ${remedy}`
      : `not verified: the last anchor of the export has size ${signedTo}, and nobody has signed the ${size - signedTo} later events. ${remedy}, or give --unsigned-tail if you believe whoever made the file`,
  );
};

const emptyTree = async (target: ImportTarget): Promise<Frontier> => {
  if ((await target.head()) > 0n) throw new CopyRefused('the log is not empty: an import needs an empty one');
  return Frontier.empty();
};

const continuedTree = async (target: ImportTarget, { from, fromRoot }: ExportHeader, line: NumberedLine): Promise<Frontier> => {
  const { tree } = await chainAtHead(target);
  const root = (tree.size === 0 ? EMPTY_ROOT : tree.root()).toString('hex');
  if (tree.size === from && root === fromRoot) return tree;
  throw doesNotFit(line, `continues a log of size ${from} and root ${fromRoot}, this one has size ${tree.size} and root ${root}`);
};

const PROGRESS_EVENTS = 1_000;

class LogImport {
  private readonly reader: ExportReader;
  private readonly writer: StreamWriter;
  /** Streams of messages and cursors, and whether an event of them has an idempotency key. One entry per topic and subscription. */
  private readonly expiring = new Map<string, boolean>();

  constructor(
    private readonly options: ImportOptions,
    private readonly header: ExportHeader,
    private readonly begun: ImportBegun,
  ) {
    this.reader = readerOf(options, header, begun);
    this.writer = new StreamWriter(options.target);
  }

  async run(lines: AsyncIterable<NumberedLine>): Promise<ImportedLog> {
    try {
      for await (const step of this.reader.read(lines)) await this.take(step);
    } finally {
      await this.writer.settle();
    }
    return this.finish();
  }

  private async take(step: ReadStep): Promise<void> {
    if ('lost' in step) {
      const { stream, next } = step.lost;
      this.expiring.set(stream, this.expiring.get(stream) ?? false);
      return this.writer.skip(stream, next);
    }
    const { line, event } = step;
    this.note(event);
    await this.writer.write(event, line);
    tellProgress(step, this.options, this.header, 'import');
  }

  private note({ stream, metadata }: EventLine): void {
    if (mayExpire(stream)) this.expiring.set(stream, this.expiring.get(stream) === true || 'idempotency' in metadata);
  }

  private async finish(): Promise<ImportedLog> {
    const { target, keys } = this.options;
    const { installation, size, root } = this.header;
    const { signedTo } = this.reader;
    requireSigned(this.options, this.header, signedTo);
    for (const [stream, keyed] of this.expiring) await target.setRetention(stream, await this.options.retentionOf(stream, keyed));
    await this.options.beforeServing?.();
    await markEnded(target, this.begun);
    return { installation, size, root, signedTo: keys ? signedTo : null };
  }
}
