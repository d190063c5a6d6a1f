import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BSON, type Document, EJSON } from 'bson';

/** Lines on stderr beside the outcome: the stores, progress of migrations of over a second, warnings of stores, and the set-up of a changed checkout. */
export const LOGGED = /^(\{|stores: |Building|Waiting|Installing).*\n/gm;

/** The forms in which `mongoexport` and `mongodump` write a collection. */
export const FORMS = ['relaxed', 'canonical', 'array', 'pretty', 'bson', 'bson.gz', 'json.gz'] as const;
export type Form = (typeof FORMS)[number];

const text = (documents: readonly Document[], relaxed = true): string =>
  documents.map((document) => `${EJSON.stringify(document, { relaxed })}\n`).join('');

const bytesIn: Readonly<Record<Form, (documents: readonly Document[]) => string | Buffer>> = {
  relaxed: (documents) => text(documents),
  canonical: (documents) => text(documents, false),
  array: (documents) => `[${documents.map((document) => EJSON.stringify(document, { relaxed: false })).join(',\n')}]\n`,
  pretty: (documents) => documents.map((document) => `${EJSON.stringify(document, undefined, 2, { relaxed: true })}\n`).join(''),
  bson: (documents) => Buffer.concat(documents.map((document) => BSON.serialize(document))),
  'bson.gz': (documents) => gzipSync(Buffer.concat(documents.map((document) => BSON.serialize(document)))),
  'json.gz': (documents) => gzipSync(text(documents)),
};

const endings: Readonly<Record<Form, string>> = {
  relaxed: 'json',
  canonical: 'json',
  array: 'json',
  pretty: 'json',
  bson: 'bson',
  'bson.gz': 'bson.gz',
  'json.gz': 'json.gz',
};

/** Documents of each collection, as relaxed extended JSON. */
export type Export = Readonly<Record<string, readonly object[]>>;

/** Writes a collection into the folder; mongodump also writes what it knows of it. */
export const writeCollection = async (folder: string, collection: string, documents: readonly object[], form: Form): Promise<void> => {
  await mkdir(folder, { recursive: true });
  const read = documents.map((document) => EJSON.deserialize(document as Document, { relaxed: false }) as Document);
  await writeFile(join(folder, `${collection}.${endings[form]}`), bytesIn[form](read));
  if (form.startsWith('bson')) {
    const known = JSON.stringify({ indexes: [], uuid: '0', collectionName: collection, type: 'collection' });
    const name = join(folder, `${collection}.metadata.json`);
    await (form === 'bson' ? writeFile(name, known) : writeFile(`${name}.gz`, gzipSync(known)));
  }
};

/** Writes every collection, each in another form. */
export const writeExport = async (folder: string, exported: Export, forms: readonly Form[] = FORMS): Promise<void> => {
  for (const [number, [collection, documents]] of Object.entries(exported).entries())
    await writeCollection(folder, collection, documents, forms[number % forms.length] ?? 'relaxed');
};

export type Item = Readonly<{ what: string; collection?: string; id?: string; reason: string }>;
export type WrittenReport = Readonly<{
  items: readonly Item[];
  collections: Readonly<
    Record<string, Readonly<{ read: number; taken: number; present: number; left: number; refused: number; changed: number }>>
  >;
  /** How many documents of each collection were refused, by reason. */
  refused?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The same of those left out that have no item. */
  left?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  verified?: Readonly<
    Record<string, Readonly<{ compared: number; different: number; missing: number; counted?: { expected: number; found: number } }>>
  >;
}>;

export const reportIn = async (path: string): Promise<WrittenReport> => JSON.parse(await readFile(path, 'utf8')) as WrittenReport;

/** `taken`, `present` and so on of each collection. */
export const columnOf = (report: WrittenReport, column: keyof WrittenReport['collections'][string]): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(report.collections).map(([name, counts]) => [name, counts[column]]));
