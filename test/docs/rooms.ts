import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A room and its floor; a room is a folder or a file, as in `api/shared`. */
export type Rooms = ReadonlyMap<string, number>;

/** Rooms of the tables of a document: `| floor | rooms | what |`. */
export const roomsIn = (markdown: string): Rooms =>
  new Map(
    [...markdown.matchAll(/^\| (\d+) \| (`.+?`) \|/gm)].flatMap(([, floor, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, Number(floor)] as const),
    ),
  );

/** The room of a file, such as `api/shared` of `apps/api/src/shared/x.ts`; `undefined`: it stands outside of all. */
export const roomOf = (rooms: Rooms, file: string): string | undefined => {
  const [, library = '', rest = ''] = /^(?:apps|libs)\/([^/]+)\/src\/(.+)$/.exec(file) ?? [];
  const path = [library, ...rest.split('/')];
  return path.map((_, index) => path.slice(0, index + 1).join('/')).find((name) => rooms.has(name));
};

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g;
const SOURCE = /\.tsx?$/;
const SPEC = /\.(int-|e2e-)?spec\.tsx?$/;

/** Files of the program by what they import of it, types included; all paths from the root. */
export const importsIn = (root: string): ReadonlyMap<string, readonly string[]> => {
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const sources = new Set(files.filter((file) => SOURCE.test(file) && !SPEC.test(file)));
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, { source: string }> };
  const aliases = Object.entries(imports).map(
    ([alias, { source }]) => [alias.slice(0, alias.indexOf('*')), source.slice(2, source.indexOf('*'))] as const,
  );
  const resolved = (file: string, specifier: string): string => {
    if (specifier.startsWith('.')) return join(dirname(file), specifier);
    const [alias, folder] = aliases.find(([name]) => specifier.startsWith(name)) ?? [];
    return alias === undefined ? '' : `${folder}${specifier.slice(alias.length)}`;
  };
  const importsOf = (file: string) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)]
      .map(([, specifier = '']) => resolved(file, specifier).replace(/\.js$/, ''))
      .flatMap((path) => [`${path}.ts`, `${path}.tsx`].filter((name) => sources.has(name)));
  return new Map([...sources].map((file) => [file, importsOf(file)]));
};

/** `apps` are one house, each library is one of its own. */
const houseOf = (file: string): string | undefined => (file.startsWith('apps/') ? 'apps' : file.split('/')[1]);

/** Imports that look up, or across to a room of the same floor, as `file → file`. */
export const upwards = (rooms: Rooms, imports: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const floorOf = (file: string): number => rooms.get(roomOf(rooms, file) ?? '') ?? Number.NaN;
  const isUp = (file: string, path: string): boolean =>
    houseOf(file) === houseOf(path) && roomOf(rooms, file) !== roomOf(rooms, path) && floorOf(path) >= floorOf(file);
  return [...imports].flatMap(([file, imported]) => imported.filter((path) => isUp(file, path)).map((path) => `${file} → ${path}`));
};

/** One way round for each file that imports itself over others. */
export const circles = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return found;
};
