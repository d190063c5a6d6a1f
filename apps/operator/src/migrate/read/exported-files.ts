import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { CommandFailed } from '#operator/command-failed.js';

/** A file with the documents of one collection. */
export type ExportedFile = Readonly<{
  path: string;
  /** The folder that contains it, or the part before the collection in its name; `''` if there is neither. */
  database: string;
  collection: string;
  format: 'json' | 'bson';
  gzipped: boolean;
  bytes: number;
}>;

/** Maximum depth of searched folders below the given one. */
const DEEPEST = 3;
const NAME = /^(?<name>.+?)\.(?<ending>json|jsonl|ndjson|bson)(?<gz>\.gz)?$/;
/** Files of mongodump without documents. */
const NO_DOCUMENTS = /(^|\.)metadata$|^prelude$|^oplog$|^system\./;

const fileAt = async (root: string, path: string): Promise<ExportedFile | undefined> => {
  const { name, ending, gz } = NAME.exec(basename(path))?.groups ?? {};
  if (name === undefined || NO_DOCUMENTS.test(name)) return undefined;
  const dot = name.lastIndexOf('.');
  const folders = relative(root, path).split(sep).slice(0, -1);
  return {
    path,
    database: dot < 0 ? (folders.at(-1) ?? '') : name.slice(0, dot),
    collection: name.slice(dot + 1),
    format: ending === 'bson' ? 'bson' : 'json',
    gzipped: gz !== undefined,
    bytes: (await stat(path)).size,
  };
};

/**
 * The exports in a directory: files of mongoexport (`<collection>.json`, also `<database>.<collection>.json`, `.jsonl`, `.ndjson`) and of
 * mongodump (`<database>/<collection>.bson`), each also with `.gz`. The folder of a file names its database.
 * @throws CommandFailed the directory cannot be read, or two files are of one collection
 */
export const exportedFiles = async (directory: string): Promise<readonly ExportedFile[]> => {
  const found: ExportedFile[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEEPEST) await look(path, depth + 1);
        continue;
      }
      const file = await fileAt(directory, path);
      if (file) found.push(file);
    }
  };
  await look(directory, 0).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`${directory} cannot be read (${error.code ?? error.message})`);
  });
  const byName = new Map<string, ExportedFile>();
  for (const file of found) {
    const name = `${file.database}/${file.collection}`;
    const other = byName.get(name);
    if (other) throw new CommandFailed(`${other.path} and ${file.path} are both of the collection ${file.collection}: leave one of them`);
    byName.set(name, file);
  }
  return found;
};

/** Error if no file belongs to one of these collections. */
export const noFilesOf = (collections: readonly string[]): CommandFailed =>
  new CommandFailed(
    `there are no files of the collections ${collections.join(', ')}: they are found by their names, <collection>.json, .jsonl, .ndjson or .bson, each also with .gz`,
  );

/**
 * The files of the only database with collections of a service.
 * @param known names of its collections
 * @param wanted name of the database, if several have some
 * @throws CommandFailed there is none, or several and none is named
 */
export const filesOfDatabase = (files: readonly ExportedFile[], known: readonly string[], wanted?: string): readonly ExportedFile[] => {
  const ofService = files.filter(({ collection }) => known.includes(collection));
  const databases = new Set(ofService.map(({ database }) => database));
  if (wanted !== undefined && !databases.has(wanted)) throw new CommandFailed(`there are no files of a database ${wanted}`);
  if (databases.size === 0) throw noFilesOf(known);
  if (wanted === undefined && databases.size > 1) {
    const found = [...databases].map((database) => {
      const collections = ofService.filter((file) => file.database === database).map(({ collection }) => collection);
      return `${database || 'without a name'} (${collections.join(', ')})`;
    });
    throw new CommandFailed(
      `there are files of several databases: ${found.join('; ')}: say which one with --database, or move what lies wrong`,
    );
  }
  const database = wanted ?? [...databases][0];
  return files.filter((file) => file.database === database);
};
