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

export type ImportOptions = Readonly<{
  target: ImportTarget;
  /** Bytes of the export, unpacked. */
  input: AsyncIterable<Uint8Array>;
  /** Every event type of the log but those of subjects' keys: no other is taken. */
  catalogues: Catalogues;
  /** Every anchor must be signed with one of them, and at least one must be there. */
  keys: TrustedKeys;
  /** How long events of messages and cursors are kept from now on. `keyed`: some event of the stream carries an idempotency key. */
  retentionOf(stream: string, keyed: boolean): Retention | Promise<Retention>;
  /** Called when all events are there, before the log may be served. */
  beforeServing?(): Promise<void>;
  onProgress?(index: number, size: number): void;
}>;

/** `signedTo`: up to this index the events are those that were signed with the given keys; `null`: none were given. */
export type ImportedLog = Readonly<{ installation: string; size: number; root: string; signedTo: number | null }>;

/**
 * Writes the events of an export into an empty log, or behind those that it continues. Until it has ended, the log says that it must not be served; a
 * killed import goes on when it is given the same file again.
 * @throws CopyRefused the log is not one that takes this export, or keys are given and nothing is signed
 * @throws DamagedCopy a line does not fit; the message has its number
 */
export const importLog = async (options: ImportOptions): Promise<ImportedLog> => {
  const lines = readLines(options.input);
  const first = await lines.next();
  if (first.done) throw new DamagedCopy('line 1: the export is empty');
  const header = parseHeader(first.value);
  const begun = await begin(options.target, header, first.value);
  return new LogImport(options, header, begun).run(lines);
};

/** @returns what is recorded of the import, which may have begun before */
const begin = async (target: ImportTarget, header: ExportHeader, line: NumberedLine): Promise<ImportBegun> => {
  const { installation, from, size, root } = header;
  const unfinished = await unfinishedImport(target);
  if (unfinished) {
    const isSame =
      unfinished.installation === installation && unfinished.from === from && unfinished.size === size && unfinished.root === root;
    if (isSame) return unfinished;
    throw new CopyRefused('this log holds a part of another import: finish that, or begin with an empty log');
  }
  const tree = from === 0 ? await emptyTree(target) : await continuedTree(target, header, line);
  const begun = { installation, from, size, root, frontier: tree.encode() };
  await markBegun(target, begun);
  return begun;
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
  /** Streams of messages and cursors, and whether an event of them carries an idempotency key. As many as topics and subscriptions. */
  private readonly expiring = new Map<string, boolean>();

  constructor(
    private readonly options: ImportOptions,
    private readonly header: ExportHeader,
    private readonly begun: ImportBegun,
  ) {
    const { catalogues, keys, target } = options;
    this.reader = new ExportReader({ header, tree: Frontier.decode(header.from, begun.frontier), catalogues, keys });
    this.writer = new StreamWriter(target);
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
    if (event.index !== null && event.index % PROGRESS_EVENTS === 0) this.options.onProgress?.(event.index, this.header.size);
  }

  private note({ stream, metadata }: EventLine): void {
    if (mayExpire(stream)) this.expiring.set(stream, this.expiring.get(stream) === true || 'idempotency' in metadata);
  }

  private async finish(): Promise<ImportedLog> {
    const { target, keys } = this.options;
    const { installation, size, root } = this.header;
    const { signedTo } = this.reader;
    if (keys && signedTo === this.header.from && signedTo < size)
      throw new CopyRefused(
        'not verified: no anchor of the export is behind its first event. Make one (`logbook audit anchor`) and export again',
      );
    for (const [stream, keyed] of this.expiring) await target.setRetention(stream, await this.options.retentionOf(stream, keyed));
    await this.options.beforeServing?.();
    await markEnded(target, this.begun);
    return { installation, size, root, signedTo: keys ? signedTo : null };
  }
}
