import { basename, dirname, join } from 'node:path';
import { DomainError } from '#domain/shared/decider.js';
import { WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import type { MigrationProgress } from './progress.js';
import { DamagedExport } from './read/damaged-export.js';
import { documentsOf, type ReadDocument } from './read/documents.js';
import type { ExportedFile } from './read/exported-files.js';
import { dateIn, type Fields, idTime, WrongField } from './read/fields.js';
import { sorted } from './read/sorted.js';
import type { DocumentPlace, MigrationReport } from './report.js';
import { BoundedRunner } from './write/bounded-runner.js';
import type { DocumentOrigin } from './write/event-ids.js';
import { type LogWriter, PartlyRefused, type WriteResult } from './write/log-writer.js';
import type { MigrationTarget } from './write/target.js';

/** A readable document. `place`: for reports; `origin` is its short form. */
export type ExportedDocument = Readonly<{ fields: Fields; place: DocumentPlace; origin: DocumentOrigin }>;

/** The document cannot be taken over; `message` is the reason in the report, without secrets and personal data. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';

  /** @param kind the reason for counting, if `message` differs per document */
  constructor(
    message: string,
    readonly kind = message,
  ) {
    super(message);
  }
}

/** The document is left out on purpose; `message` is the reason. */
export class LeftOut extends Error {
  override readonly name = 'LeftOut';
}

export type EachOptions = Readonly<{
  /** Documents are sorted by ascending key. Default: in the order of the file. */
  sortedBy?: (fields: Fields) => string;
  /** Number of documents processed concurrently, if they do not depend on each other. Default: 1. */
  parallel?: number;
}>;

/** Takes one document over. */
export type TakeDocument = (document: ExportedDocument) => Promise<WriteResult>;

/** Creation time of the record: the member, or the time in its `_id`; the epoch if there is neither. */
export const madeAt = (fields: Fields, member?: string): string =>
  (member === undefined ? undefined : dateIn(fields, member)) ?? idTime(fields._id) ?? '1970-01-01T00:00:00.000Z';

const POSTDATED = 'later than the start of the migration: that start counts instead';
const EACH_SHOWN = 256;
/** Longer details are texts of clients. */
const LONGEST_DETAIL = 200;
/** Details that may be secret or personal. */
const SECRET = /key|token|secret|hash|mail/i;

/** A rule as named in reports: its code, and its details that are short texts or numbers. */
export const ruleText = ({ code, details }: DomainError): string => {
  const plain = Object.entries(details).filter(
    ([name, value]) => !SECRET.test(name) && (typeof value === 'number' || (typeof value === 'string' && value.length <= LONGEST_DETAIL)),
  );
  return plain.length === 0 ? code : `${code} (${plain.map(([name, value]) => `${name} ${value}`).join(', ')})`;
};

/** A place in a file as named in reports; for mongodump, whose folders are databases, with the folder. */
export const shownPlace = ({ path, database }: Pick<ExportedFile, 'path' | 'database'>, place: string): string =>
  database === basename(dirname(path)) ? join(database, basename(place)) : basename(place);

type MigrationParts<Options extends object, Found> = Pick<
  Migration<Options, Found>,
  'files' | 'options' | 'found' | 'configuration' | 'target' | 'writer' | 'report' | 'dryRun' | 'progress'
>;

/** Context of a plan: the documents of the files, the log to fill, and the report. */
export class Migration<Options extends object = object, Found = unknown> {
  private part = '';
  /** Bytes of exports read in the current part, and their total. */
  private done = 0;
  private of = 0;
  /** Number of documents read, counting repeats. */
  documents = 0;
  readonly passedOver = new Set<ExportedFile>();
  /** Files whose damage is in the report. */
  private readonly damaged = new Set<ExportedFile>();

  readonly files: readonly ExportedFile[];
  readonly options: Options;
  /** Findings for later collections and the verification. */
  readonly found: Found;
  /** Configuration of the installation to be filled. */
  readonly configuration: Configuration;
  readonly target: MigrationTarget;
  readonly writer: LogWriter;
  readonly report: MigrationReport;
  readonly dryRun: boolean;
  readonly progress: MigrationProgress;

  constructor({ files, options, found, configuration, target, writer, report, dryRun, progress }: MigrationParts<Options, Found>) {
    this.files = files;
    this.options = options;
    this.found = found;
    this.configuration = configuration;
    this.target = target;
    this.writer = writer;
    this.report = report;
    this.dryRun = dryRun;
    this.progress = progress;
  }

  /** Begins a part for the displayed progress. @param bytes of exports that the part reads, counting repeats */
  begin(part: string, bytes: number): void {
    [this.part, this.done, this.of] = [part, 0, bytes];
  }

  /** Records that the file is not read after all. @param bytes of it that were to be read, as for {@link begin} */
  passOver(file: ExportedFile, bytes: number): void {
    this.passedOver.add(file);
    this.of -= bytes;
  }

  /** The documents of a file, without counting them; unreadable ones are skipped. Damage of the file ends them, and goes into the report. */
  async *read(file: ExportedFile, step = 'reading'): AsyncGenerator<ExportedDocument> {
    try {
      for await (const document of this.inFileOrder(file, step)) {
        if (document.fields) yield this.documentOf(file, document);
      }
    } catch (error) {
      this.noteDamage(file, error);
    }
  }

  /**
   * Takes over each document of a file. If `take` throws {@link DocumentRefused}, {@link LeftOut}, `WrongField` or `DomainError`, the error
   * goes into the report, and the next document follows. Everything is written on return. Without a file nothing happens.
   * @param take returns the outcome of the document
   */
  async each(file: ExportedFile | undefined, take: TakeDocument, { sortedBy, parallel = 1 }: EachOptions = {}): Promise<void> {
    if (!file) return;
    const counts = this.report.of(file.collection);
    const runner = new BoundedRunner(parallel);
    try {
      for await (const document of sortedBy ? this.inOrder(file, sortedBy) : this.inFileOrder(file, file.collection)) {
        counts.read += 1;
        await runner.run(() => this.taken(file, document, take));
      }
    } catch (error) {
      this.noteDamage(file, error);
    } finally {
      await runner.end();
    }
    runner.check();
    await this.writer.flush();
  }

  /** Reports a part of a document if it is dated later than the start of the run. `what`: the part in the report. */
  notePostdated(place: DocumentPlace, what: string, time: string): void {
    if (this.writer.isLater(time)) this.report.changed(place, `${what} is dated ${POSTDATED}`);
  }

  /** Reports the damage of a file once, however often the file is read. @throws every other error */
  private noteDamage(file: ExportedFile, error: unknown): void {
    if (!(error instanceof DamagedExport)) throw error;
    if (this.damaged.has(file)) return;
    this.damaged.add(file);
    this.report.refused({ collection: file.collection, id: '', place: file.path }, `${error.message}; nothing after it was read`);
  }

  private async taken(file: ExportedFile, document: ReadDocument, take: TakeDocument): Promise<void> {
    const counts = this.report.of(file.collection);
    const place: DocumentPlace = { collection: file.collection, id: document.id, place: shownPlace(file, document.place) };
    if (!document.fields) {
      this.report.refused(place, document.broken);
      return;
    }
    const exported = this.documentOf(file, document);
    try {
      if ((await take(exported)) === 'present') counts.present += 1;
      else counts.taken += 1;
      if (this.writer.isPostdated(exported.origin)) this.report.changed(place, `it is dated ${POSTDATED}`);
    } catch (error) {
      this.notTaken(place, error);
    }
  }

  /** @throws errors that are not caused by the document */
  private notTaken(place: DocumentPlace, error: unknown): void {
    if (error instanceof PartlyRefused) {
      this.report.of(place.collection).taken += 1;
      this.report.partRefused(
        place,
        `the rules forbid a part of it: ${ruleText(error.cause)}`,
        `the rules forbid a part of it: ${error.cause.code}`,
      );
    } else if (error instanceof LeftOut) this.report.left(place, error.message);
    else if (error instanceof DomainError)
      this.report.refused(place, `the rules forbid it: ${ruleText(error)}`, { kind: `the rules forbid it: ${error.code}` });
    else if (error instanceof DocumentRefused) this.report.refused(place, error.message, error);
    else if (error instanceof WrongField) this.report.refused(place, error.message);
    else if (error instanceof WrongExpectedRevision) this.report.refused(place, 'there is another record with this id already');
    else throw error;
  }

  private documentOf(file: ExportedFile, { fields = {}, id, place }: ReadDocument): ExportedDocument {
    const { collection } = file;
    return { fields, place: { collection, id, place: shownPlace(file, place) }, origin: { collection, id } };
  }

  private async *inFileOrder(file: ExportedFile, step: string): AsyncGenerator<ReadDocument> {
    const onBytes = (bytes: number): void => {
      this.done += bytes;
    };
    for await (const document of documentsOf(file, onBytes)) {
      this.count(step);
      yield document;
    }
  }

  /** Sorting is fast and shows no progress; processing the documents takes the time. */
  private async *inOrder(file: ExportedFile, sortedBy: (fields: Fields) => string): AsyncGenerator<ReadDocument> {
    let [bytes, documents] = [0, 0];
    const read = documentsOf(file, (more) => {
      bytes += more;
    });
    const counted = async function* (): AsyncGenerator<ReadDocument> {
      for await (const document of read) {
        documents += 1;
        yield document;
      }
    };
    for await (const document of sorted(counted(), sortedBy)) {
      this.done += bytes / documents;
      this.count(file.collection);
      yield document;
    }
  }

  private count(step: string): void {
    this.documents += 1;
    if (this.documents % EACH_SHOWN !== 0) return;
    const { part, documents, done, of } = this;
    this.progress.show({ step, part, documents, done: Math.round(done), of });
  }
}
