import { EMPTY_ROOT, Frontier } from '#domain/integrity/merkle.js';
import { CURSORS_CATEGORY } from '#domain/messaging/cursors/cursor-events.js';
import { MESSAGES_CATEGORY } from '#domain/messaging/messages/message-events.js';
import type { Retention } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';
import type { ImportTarget } from '#domain/shared/import-target.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';
import { chainAtHead } from './chain-at-head.js';
import { ChainCheck } from './chain-check.js';
import { CopyRefused, DamagedCopy } from './damaged-copy.js';
import type { EventLine, ExportHeader } from './export-lines.js';
import { type ImportBegun, isImportMarker, markBegun, markEnded, unfinishedImport } from './import-marker.js';
import { doesNotFit, parseHeader, parseLine } from './parse-line.js';
import { type NumberedLine, readLines } from './read-lines.js';
import { StreamWriter } from './stream-writer.js';

export type ImportOptions = Readonly<{
  target: ImportTarget;
  /** Bytes of the export, unpacked. */
  input: AsyncIterable<Uint8Array>;
  /** How long events of messages and cursors are kept from now on. `keyed`: some event of the stream carries an idempotency key. */
  retentionOf(stream: string, keyed: boolean): Retention;
  /** Called when all events are there, before the log may be served. */
  beforeServing?(): Promise<void>;
  onProgress?(index: number, size: number): void;
}>;

export type ImportedLog = Readonly<{ installation: string; size: number; root: string }>;

/**
 * Writes the events of an export into an empty log, or behind those that it continues. Until it has ended, the log says that it must not be served; a
 * killed import goes on when it is given the same file again.
 * @throws CopyRefused the log is not one that takes this export
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
  private readonly check: ChainCheck;
  private readonly writer: StreamWriter;
  /** Streams of messages and cursors, and whether an event of them carries an idempotency key. As many as topics and subscriptions. */
  private readonly expiring = new Map<string, boolean>();

  constructor(
    private readonly options: ImportOptions,
    private readonly header: ExportHeader,
    private readonly begun: ImportBegun,
  ) {
    this.check = new ChainCheck(Frontier.decode(header.from, begun.frontier));
    this.writer = new StreamWriter(options.target);
  }

  async run(lines: AsyncIterable<NumberedLine>): Promise<ImportedLog> {
    const slice = new TimeSlice();
    let last: NumberedLine = { number: 1, text: '' };
    let ended = false;
    try {
      for await (const line of lines) {
        if (ended) throw doesNotFit(line, 'stands behind the last line');
        ended = await this.take(line);
        last = line;
        if (slice.isOver) await slice.next();
      }
      if (!ended) throw doesNotFit({ number: last.number + 1 }, 'is missing: the export has no last line');
    } finally {
      await this.writer.settle();
    }
    return this.finish(last);
  }

  /** @returns whether it was the last line */
  private async take(line: NumberedLine): Promise<boolean> {
    const parsed = parseLine(line);
    if ('end' in parsed) {
      if (parsed.lines !== line.number - 2) throw doesNotFit(line, `${line.number - 2} lines stand before it, not ${parsed.lines}`);
      return true;
    }
    if ('expired' in parsed) return this.fits(line, this.check.expired(parsed));
    if (parsed.index !== null) this.fits(line, this.check.chainedEvent({ ...parsed, index: parsed.index }));
    else await this.unchained(line, parsed);
    this.note(parsed);
    await this.writer.write(parsed, line.text.length);
    if (parsed.index !== null && parsed.index % PROGRESS_EVENTS === 0) this.options.onProgress?.(parsed.index, this.header.size);
    return false;
  }

  private async unchained(line: NumberedLine, event: EventLine): Promise<void> {
    if (isImportMarker(event.stream)) throw doesNotFit(line, 'is no line of an export');
    const found = this.check.unchainedEvent(event);
    if (typeof found === 'string') throw doesNotFit(line, found);
    for (const { stream, next } of found) {
      this.expiring.set(stream, this.expiring.get(stream) ?? false);
      await this.writer.skip(stream, next);
    }
  }

  private note({ stream, metadata }: EventLine): void {
    if (![MESSAGES_CATEGORY, CURSORS_CATEGORY].includes(categoryOf(stream))) return;
    this.expiring.set(stream, this.expiring.get(stream) === true || 'idempotency' in metadata);
  }

  /** @throws DamagedCopy there is a flaw */
  private fits(line: NumberedLine, flaw: string | undefined): false {
    if (flaw) throw doesNotFit(line, flaw);
    return false;
  }

  private async finish(line: NumberedLine): Promise<ImportedLog> {
    const { tree } = this.check;
    const { installation, size } = this.header;
    const root = tree.root().toString('hex');
    if (tree.size !== size || root !== this.header.root)
      throw doesNotFit(line, `the events have size ${tree.size} and root ${root}, the first line says ${size} and ${this.header.root}`);
    for (const [stream, keyed] of this.expiring) await this.options.target.setRetention(stream, this.options.retentionOf(stream, keyed));
    await this.options.beforeServing?.();
    await markEnded(this.options.target, this.begun);
    return { installation, size, root };
  }
}
