import { isDeepStrictEqual } from 'node:util';
import type { Runtime } from '#api/runtime/runtime.js';
import { allReach } from '#infra/engine/projection-runner/progress/position-gate.js';
import { CommandFailed } from '#operator/command-failed.js';
import type { ExportedDocument, Migration } from './migration.js';
import type { ExportedFile } from './read/exported-files.js';
import { WrongField } from './read/fields.js';
import type { MigrationReport } from './report.js';

/** Approximate number of compared documents per collection. */
const SAMPLES = 200;
const SHOWN_EVERY_MS = 500;
/** In milliseconds. The read models are built from the log first. */
const LONGEST_BUILD_MS = 6 * 3_600_000;

/** The record expected from the document, and the one that the queries find: members of the same names. */
export type Comparison<Context> = Readonly<{
  /** `undefined` if the document is not compared. */
  expected(document: ExportedDocument, context: Context): object | undefined;
  /** `undefined` if there is no such record. */
  found(document: ExportedDocument, context: Context): Promise<object | undefined>;
  /** Compares the members that only the found record has, too. */
  whole?: boolean;
  /** Compares all documents instead of about 200 of the file. */
  all?: boolean;
}>;

/** The members of a record that another one has, too. */
export const only = (members: object | undefined = {}, found: object | undefined): object | undefined =>
  found && Object.fromEntries(Object.keys(members).map((name) => [name, (found as Record<string, unknown>)[name]]));

type IsSame = (expected: unknown, found: unknown) => boolean;

/** A time as shown, to the second. */
const second = (shown: string): string => shown.slice(0, '2024-01-01T00:00:00'.length).replace('T', ' ');

/** An earlier run gave its own start to events with a later time. */
const isStartOfRun =
  (start: string): IsSame =>
  (expected, found) =>
    isDeepStrictEqual(expected, found) ||
    (typeof expected === 'string' && typeof found === 'string' && second(found) === second(start) && second(expected) > second(start));

/** Names of the members that differ, including nested ones: `users[2].email`. Without values, which may be secret. */
export const differences = (expected: unknown, found: unknown, path = '', isSame: IsSame = isDeepStrictEqual): readonly string[] => {
  if (isSame(expected, found)) return [];
  const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isPlain(expected) || !isPlain(found) || Array.isArray(expected) !== Array.isArray(found)) return [path || 'the record'];
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return [`${path}.length`];
    return expected.flatMap((item, index) => differences(item, found[index], `${path}[${index}]`, isSame));
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...names].flatMap((name) => differences(expected[name], found[name], path === '' ? name : `${path}.${name}`, isSame));
};

/** Builds the read models of a service. @throws CommandFailed they are not built in time */
export const buildReadModels = async (migration: Migration, runtime: Runtime, service: string): Promise<void> => {
  const { readModels, eventStore } = runtime;
  const names = readModels.names.filter((name) => name.startsWith(`${service}.`));
  readModels.start(names);
  const gates = names.flatMap((name) => readModels.partitionsOf(name)?.gate ?? []);
  const head = await eventStore.head();
  const shown = setInterval(() => {
    const least = Math.min(...gates.map(({ position }) => Number(position)));
    migration.progress.show({
      step: 'read models',
      part: 'building read models',
      documents: migration.documents,
      done: least,
      of: Number(head),
    });
  }, SHOWN_EVERY_MS);
  try {
    await Promise.all(names.map((name) => readModels.readGate(name)?.settled));
    if (!(await allReach(gates, head, LONGEST_BUILD_MS)))
      throw new CommandFailed('the read models are not built, and nothing was verified; what was taken is in the log');
  } finally {
    clearInterval(shown);
  }
  for (const name of names)
    if (!readModels.setAside(name).isEmpty)
      migration.report.note(`the read model ${name} has set something aside: see logbook projections list`);
};

/** Names of the members that differ, except times that an earlier run replaced by its start, which the report names. */
const differing = (
  { writer, report }: Migration,
  { origin, place }: ExportedDocument,
  wanted: object,
  found: unknown,
): readonly string[] => {
  const all = differences(wanted, found);
  const earlier = writer.earlierTime(origin);
  if (all.length === 0 || earlier === undefined) return all;
  const others = differences(wanted, found, '', isStartOfRun(earlier));
  if (others.length < all.length)
    report.changed(place, 'an earlier run gave it an earlier time: its own start, or the document has changed since');
  return others;
};

/** Names of the members that differ, or the flaw of one that cannot be read; `undefined` if the document is not compared. */
const comparedMembers = async <Context>(
  migration: Migration,
  document: ExportedDocument,
  { expected, found, whole = false }: Comparison<Context>,
  context: Context,
): Promise<readonly string[] | 'missing' | undefined> => {
  try {
    const wanted = expected(document, context);
    if (wanted === undefined) return undefined;
    const actual = await found(document, context);
    return actual === undefined ? 'missing' : differing(migration, document, wanted, whole ? actual : only(wanted, actual));
  } catch (error) {
    if (error instanceof WrongField) return [error.message];
    throw error;
  }
};

/** Compares a sample of the documents taken over from a file, spread evenly over it. */
export const compare = async <Context>(
  migration: Migration,
  file: ExportedFile,
  comparison: Comparison<Context>,
  context: Context,
): Promise<void> => {
  const { report } = migration;
  const { read } = report.of(file.collection);
  const every = comparison.all ? 1 : Math.max(1, Math.floor(read / SAMPLES));
  const result = { ...(report.verified.get(file.collection) ?? { compared: 0, different: 0, missing: 0 }) };
  let number = 0;
  for await (const document of migration.read(file, `verifying ${file.collection}`)) {
    // The report says that a postdated document shows another time.
    if (number++ % every !== 0 || report.isLeft(document.place) || migration.writer.isPostdated(document.origin)) continue;
    const members = await comparedMembers(migration, document, comparison, context);
    if (members === undefined) continue;
    result.compared += 1;
    if (members === 'missing') {
      result.missing += 1;
      report.add({ what: 'missing', ...document.place, reason: 'the queries do not find it' });
      continue;
    }
    if (members.length === 0) continue;
    result.different += 1;
    report.add({ what: 'different', ...document.place, reason: members.join(', ') });
  }
  report.verified.set(file.collection, result);
};

/** Compares the number of records of a collection with the expected one, in addition to those counted before. */
export const addCount = (
  { verified }: MigrationReport,
  collection: string,
  { expected, found }: Readonly<{ expected: number; found: number }>,
): void => {
  const before = verified.get(collection) ?? { compared: 0, different: 0, missing: 0 };
  const { counted = { expected: 0, found: 0 } } = before;
  verified.set(collection, { ...before, counted: { expected: counted.expected + expected, found: counted.found + found } });
};
