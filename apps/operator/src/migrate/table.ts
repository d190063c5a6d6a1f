import type { DomainEvent } from '#domain/shared/events.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type EachOptions, type ExportedDocument, type Migration, madeAt, type TakeDocument } from './migration.js';
import type { ExportedFile } from './read/exported-files.js';
import type { Fields } from './read/fields.js';
import { addCount, type Comparison, compare } from './verification.js';
import type { DecidedCommand } from './write/log-writer.js';

/** A database of the original whose collections a part of the table describes. Without a name it has no files. */
type Scope = Readonly<{ database: string | undefined }>;

/** Takes the documents of a file over. `end` follows the last one, also if there is no file. */
export type CollectionReader = EachOptions & Readonly<{ each: TakeDocument; end?(): Promise<void> }>;

/** Context of a comparison. */
type Verifying<M, Queries, S> = Readonly<{ migration: M; queries: Queries; scope: S }>;

/** A collection of an original service: how its documents become events, and what of them is compared with the answers of the queries. */
export type Row<M extends Migration, Queries, S extends Scope = Scope> = Readonly<{
  collection: string;
  /** Its file is read once before, to find relations between its documents. */
  twice?: boolean;
  /** Whether it is taken over with these options. Default: always. */
  isTaken?(options: M['options']): boolean;
  /** Begins a file, which is `undefined` if there is none. */
  take(migration: M, scope: S, file: ExportedFile | undefined): TakeDocument | CollectionReader | Promise<TakeDocument | CollectionReader>;
  /** Most documents repeat others: those that are left out are counted only. Default: no. */
  repeats?: boolean;
  compared?: Comparison<Verifying<M, Queries, S>>;
  /** Number of records that the queries find, and the expected one if it is not that of the documents taken over. */
  counted?(verifying: Verifying<M, Queries, S>): Promise<number | Readonly<{ expected: number; found: number }> | undefined>;
}>;

/** Collections of the same databases, in an order in which referenced records come first. */
type Part<M extends Migration, Queries, S extends Scope = Scope> = Readonly<{
  /** Runs before the first collection. */
  begin?(migration: M): Promise<void> | void;
  /** All collections are taken from one database before the next follows. */
  scopes(migration: M): readonly S[];
  rows: readonly Row<M, Queries, S>[];
}>;

/** An original service as a table of its collections. */
export type MigrationPlan<Options extends object = object, Found = unknown, Queries = unknown> = Readonly<{
  service: 'messaging' | 'accounting' | 'status';
  /** Selects the files to take over among all files found. @throws CommandFailed there are none, or the choice is ambiguous */
  select(files: readonly ExportedFile[], options: Options): readonly ExportedFile[];
  /** Findings of a run, for its later collections and its verification. */
  findings(): Found;
  queries(readStore: ReadStore): Queries;
  parts: readonly Part<Migration<Options, Found>, Queries>[];
}>;

/** Takes each document over as one command. @param made member with the time of the command */
export const decides =
  <State, Command, Event extends DomainEvent, M extends Migration>(
    to: Pick<DecidedCommand<State, Command, Event>, 'stream' | 'decider'>,
    commandOf: (fields: Fields, document: ExportedDocument, migration: M) => NoInfer<Command>,
    made = 'registered_on',
  ) =>
  (migration: M): TakeDocument =>
  async (document) => {
    const { fields, origin } = document;
    const steps = [{ command: commandOf(fields, document, migration), time: madeAt(fields, made) }];
    return migration.writer.decide({ origin, ...to, steps });
  };

/** Reports collections in the directory that are not taken over. @param notes by collection */
export const noteUntaken = ({ files, report }: Migration, notes: Readonly<Record<string, string>>): void => {
  for (const { collection } of files) if (notes[collection] !== undefined) report.note(notes[collection]);
};

/** The scope of a service with one database. */
export const onlyDatabase = ({ files }: Migration): readonly Scope[] => [{ database: files[0]?.database }];

export const fileOf = ({ files }: Migration, { database }: Scope, collection: string): ExportedFile | undefined =>
  files.find((file) => file.collection === collection && file.database === database);

const rowOf = ({ parts }: MigrationPlan, file: ExportedFile) =>
  parts.flatMap(({ rows }) => rows).find(({ collection }) => collection === file.collection);

/** Number of times that a file is read, without the verification; 0 if it is not taken over. */
export const readingsOf = (plan: MigrationPlan, file: ExportedFile, options: object): number => {
  const row = rowOf(plan, file);
  if (!row || row.isTaken?.(options) === false) return 0;
  return row.twice ? 2 : 1;
};

/** Returns whether the verification reads a file that is taken over. */
export const isCompared = (plan: MigrationPlan, file: ExportedFile): boolean => rowOf(plan, file)?.compared !== undefined;

/** Takes the files of a plan over. */
export const takeAll = async ({ parts }: MigrationPlan, migration: Migration): Promise<void> => {
  for (const { begin, scopes, rows } of parts) {
    await begin?.(migration);
    for (const scope of scopes(migration)) for (const row of rows) await takeRow(migration, row, scope);
  }
};

export const takeRow = async <M extends Migration, Queries, S extends Scope>(
  migration: M,
  row: Row<M, Queries, S>,
  scope: S,
): Promise<void> => {
  if (row.isTaken?.(migration.options) === false) return;
  if (!row.compared) migration.report.notCompared(row.collection, row.repeats);
  const file = fileOf(migration, scope, row.collection);
  const taking = await row.take(migration, scope, file);
  const { each, end, ...options } = typeof taking === 'function' ? { each: taking, end: undefined } : taking;
  await migration.each(file, each, options);
  await end?.();
};

/** Compares the answers of the service's queries with the files. Follows {@link takeAll}, when the read models are built. */
export const verifyAll = async ({ parts, queries }: MigrationPlan, migration: Migration, readStore: ReadStore): Promise<void> => {
  const answers = queries(readStore);
  for (const { scopes, rows } of parts)
    for (const scope of scopes(migration)) for (const row of rows) await verifyRow(row, { migration, queries: answers, scope });
};

const verifyRow = async <M extends Migration, Queries>(
  { collection, compared, counted }: Row<M, Queries>,
  verifying: Verifying<M, Queries, Scope>,
): Promise<void> => {
  const { migration, scope } = verifying;
  const file = fileOf(migration, scope, collection);
  if (compared && file) await compare(migration, file, compared, verifying);
  const count = await counted?.(verifying);
  if (count === undefined) return;
  const { taken, present } = migration.report.of(collection);
  addCount(migration.report, collection, typeof count === 'number' ? { expected: taken + present, found: count } : count);
};
