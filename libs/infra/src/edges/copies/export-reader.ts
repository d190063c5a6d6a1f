import { isChained } from '#domain/integrity/chained.js';
import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, leavesOf } from '#domain/integrity/integrity-events.js';
import type { Frontier } from '#domain/integrity/merkle.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import type { Catalogues } from '#infra/stores/event-codec/schemas.js';
import { ChainCheck, type StreamGap } from './chain-check.js';
import { EventFlaws } from './event-flaws.js';
import type { EventLine, ExportHeader } from './export-lines.js';
import { isImportMarker } from './import-marker.js';
import { ImportTrust, type TrustedKeys } from './import-trust.js';
import { doesNotFit, parseLine } from './parse-line.js';
import type { NumberedLine } from './read-lines.js';
import { RecentIds } from './recent-ids.js';

/** A line of an export, in order: an event, or a stream whose events before a revision have expired. */
export type ReadStep = Readonly<{ line: NumberedLine }> & (Readonly<{ event: EventLine }> | Readonly<{ lost: StreamGap }>);

type ReaderOptions = Readonly<{
  header: ExportHeader;
  /** Tree over the events before the first one of the export. */
  tree: Frontier;
  /** All event types of the log except those of subjects' keys. */
  catalogues: Catalogues;
  keys: TrustedKeys;
  /** Set if the events are already in the log of this installation: their types may be unknown. Default false. */
  isOwnLog?: boolean;
}>;

/** An event of leaves or of an anchor. */
type Statement = Readonly<{ line: NumberedLine; event: EventLine }>;

/** Maximum characters of statements whose events have not been read. */
const MAX_AHEAD = 64 * 2 ** 20;

/**
 * Reads an export as a file from an untrusted source: it yields nothing before comparing it with the chain, the catalogues and the known
 * facts about the installation. Memory is constant except for events whose leaves have not been read yet.
 */
export class ExportReader {
  private readonly check: ChainCheck;
  private readonly flaws: EventFlaws;
  private readonly trust: ImportTrust;
  private readonly ids = new RecentIds();
  /** Leaves before their events, and the lines behind them: earlier releases wrote expired ranges behind their leaves. */
  private readonly ahead: Statement[] = [];
  private charactersAhead = 0;

  constructor(private readonly options: ReaderOptions) {
    this.check = new ChainCheck(options.tree);
    this.flaws = new EventFlaws(options.catalogues, options.isOwnLog);
    this.trust = new ImportTrust(options.header, options.keys);
  }

  /** Events before this index were signed with the given keys. Complete at the end of the file. */
  get signedTo(): number {
    return this.trust.signedTo;
  }

  /** Reads all lines except the first. @throws DamagedCopy a line does not fit; the message contains its number */
  async *read(lines: AsyncIterable<NumberedLine>): AsyncGenerator<ReadStep, void, void> {
    const slice = new TimeSlice();
    let last: NumberedLine = { number: 1, text: '' };
    let ended = false;
    for await (const line of lines) {
      if (ended) throw doesNotFit(line, 'stands behind the last line');
      const parsed = parseLine(line);
      if ('end' in parsed) ended = this.end(line, parsed.lines);
      else if ('expired' in parsed) this.fits(line, this.check.expired(parsed));
      else {
        this.event(line, parsed);
        yield { line, event: parsed };
      }
      yield* this.stated();
      last = line;
      if (slice.isOver) await slice.next();
    }
    if (!ended) throw doesNotFit({ number: last.number + 1 }, 'is missing: the export has no last line');
    this.compareWithHeader(last);
  }

  private end(line: NumberedLine, lines: number): true {
    if (lines !== line.number - 2) throw doesNotFit(line, `${line.number - 2} lines stand between the first and it, not ${lines}`);
    return true;
  }

  private event(line: NumberedLine, event: EventLine): void {
    this.fits(line, this.flaws.of(event) ?? this.ids.flawOf(event.id));
    const { stream, index } = event;
    if (index !== null) this.fits(line, this.check.chainedEvent({ ...event, index }));
    else if (isChained(stream) || isImportMarker(stream)) throw doesNotFit(line, 'is no line of an export');
    if (index !== null && this.flaws.hasPlainHash(event))
      this.fits(line, this.trust.plainHash(index, line.number, this.check.hasLeaves || this.ahead.length > 0));
    if (stream !== LEAVES_STREAM && stream !== ANCHORS_STREAM) {
      this.fits(line, this.trust.event(event, undefined));
      return;
    }
    this.charactersAhead += line.text.length;
    if (this.charactersAhead > MAX_AHEAD) throw doesNotFit(line, NOT_BEFORE);
    this.ahead.push({ line, event });
  }

  /** Compares leaves whose events have been read, and the anchors over them. */
  private *stated(): Generator<ReadStep, void, void> {
    for (let next = this.ahead[0]; next; next = this.ahead[0]) {
      const { line, event } = next;
      if (event.stream === LEAVES_STREAM) {
        const leaves = leavesOf(event);
        if (!this.check.covers(leaves)) return;
        const found = this.check.leavesChained(leaves);
        if (typeof found === 'string') throw doesNotFit(line, found);
        for (const lost of found) yield { line, lost };
      } else this.anchor(line, event);
      this.ahead.shift();
      this.charactersAhead -= line.text.length;
    }
  }

  private anchor(line: NumberedLine, event: EventLine): void {
    const anchor = event.data as Anchor;
    this.fits(line, this.check.anchor(anchor) ?? this.trust.event(event, this.check.rootAt(anchor.size)));
  }

  /** @throws DamagedCopy there is a flaw */
  private fits(line: Pick<NumberedLine, 'number'>, flaw: string | undefined): void {
    if (flaw) throw doesNotFit(line, flaw);
  }

  private compareWithHeader(last: NumberedLine): void {
    const { tree } = this.check;
    const { size, root: announced } = this.options.header;
    const [early] = this.ahead;
    if (early) throw doesNotFit(early.line, NOT_BEFORE);
    this.fits(last, this.check.atEnd());
    const root = tree.root().toString('hex');
    if (tree.size !== size || root !== announced)
      throw doesNotFit(last, `the events have size ${tree.size} and root ${root}, the first line says ${size} and ${announced}`);
    const found = this.trust.atEnd(last.number);
    if (found) throw doesNotFit(found, found.why);
  }
}

const NOT_BEFORE = 'there are leaves of events that do not stand before them';
