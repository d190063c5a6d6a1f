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

/** Of an import or an export from elsewhere: what it names, if it has braces, and from where. */
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^'\n]+)'/g;
const NAMED = /\b(?:import|export)\s[^;'{}]*\{([^}]*)\}\s*from\s*'([^'\n]+)'/g;
const EXPORT = /^export (?:abstract |async |declare )*(?:class|const|function\*?|interface|type) (\w+)/gm;
const COMMAND = /^export class (\w+) extends CommandWith\b/gm;
/** A room that is entered at more of its files is open as a whole, as a vocabulary is. */
const OPEN = 0.7;
const SOURCE = /\.(tsx?|mjs|css)$/;
const SPEC = /\.(int-|part-|e2e-)?spec\.tsx?$/;

/** Sources of a folder, and lines of a source of the program: more are divided by what they are about. */
const [MOST_SOURCES, MOST_LINES] = [25, 300];

const isProgram = (file: string): boolean => /^(apps|libs)\//.test(file) && !SPEC.test(file) && !file.endsWith('.mjs');

/** Sources below a folder with their texts, by their paths from the root. */
export type Sources = ReadonlyMap<string, string>;

export const sourcesIn = (root: string): Sources => {
  const paths = ['apps', 'libs', 'test', 'tools', 'samples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const files = paths.filter((path) => SOURCE.test(path) && !path.includes('node_modules'));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
};

/** The file that a specifier means, as `imports` of package.json says; `undefined`: a package, or one of Node's. */
const resolution = (sources: Sources, root: string): ((file: string, specifier: string) => string | undefined) => {
  const { imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { imports: Record<string, { source: string }> };
  const aliases = Object.entries(imports).map(
    ([alias, { source }]) => [alias.slice(0, alias.indexOf('*')), source.slice(2, source.indexOf('*'))] as const,
  );
  const pathOf = (file: string, specifier: string): string => {
    if (specifier.startsWith('.')) return join(dirname(file), specifier);
    const [alias, folder] = aliases.find(([name]) => specifier.startsWith(name)) ?? [];
    return alias === undefined ? '' : `${folder}${specifier.slice(alias.length)}`;
  };
  return (file, specifier) => {
    const path = pathOf(file, specifier).replace(/\.js$/, '');
    return [`${path}.ts`, `${path}.tsx`, path].find((name) => sources.has(name));
  };
};

/** Folders with too many sources, specs among them, as `folder: count`. */
export const crowded = (files: Iterable<string>): readonly string[] => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MOST_SOURCES).map(([folder, count]) => `${folder}: ${count}`);
};

/** Sources of the program that are too long, as `file: lines`. */
export const long = (sources: Sources): readonly string[] =>
  [...sources]
    .map(([file, text]) => [file, text.split('\n').length - 1] as const)
    .filter(([file, lines]) => isProgram(file) && lines > MOST_LINES)
    .map(([file, lines]) => `${file}: ${lines}`);

/** Files of the program by what they import of it, types included; all paths from the root. */
export const importsIn = (root: string, sources = sourcesIn(root)): ReadonlyMap<string, readonly string[]> => {
  const resolved = resolution(sources, root);
  const importsOf = (file: string, text: string): readonly string[] =>
    [...text.matchAll(IMPORT)]
      .map(([, specifier = '']) => resolved(file, specifier))
      .filter((path): path is string => path !== undefined && isProgram(path));
  return new Map([...sources].filter(([file]) => isProgram(file)).map(([file, text]) => [file, importsOf(file, text)]));
};

const AT_RUN_TIME = /^(?:import|export) (?!type )[^;]*?from '([^'\n]+)'/gm;

/** Files that a program beside the tests needs, though they need jest, which only tests have. @param program its first files */
export const needingJest = (root: string, sources: Sources, program: (file: string) => boolean): readonly string[] => {
  const resolved = resolution(sources, root);
  const seen = new Set([...sources.keys()].filter((file) => program(file) && !SPEC.test(file)));
  const found: string[] = [];
  for (const file of seen)
    for (const [, specifier = ''] of (sources.get(file) ?? '').matchAll(AT_RUN_TIME)) {
      const path = resolved(file, specifier);
      if (path !== undefined) seen.add(path);
      else if (specifier === '@jest/globals') found.push(file);
    }
  return found;
};

/** Names that the program exports though no other file, tests among them, imports them, as `file: name`. */
export const unimported = (root: string, sources = sourcesIn(root)): readonly string[] => {
  const resolved = resolution(sources, root);
  const names = new Set<string>();
  for (const [file, text] of sources) {
    for (const [, list = '', specifier = ''] of text.matchAll(NAMED))
      for (const member of list.split(','))
        names.add(
          `${resolved(file, specifier)}: ${
            member
              .trim()
              .replace(/^type /, '')
              .split(' ')[0]
          }`,
        );
    const others = text.replaceAll(NAMED, '');
    for (const [, specifier = ''] of others.matchAll(IMPORT)) names.add(`${resolved(file, specifier)}: *`);
  }
  return [...sources].flatMap(([file, text]) =>
    isProgram(file) && !names.has(`${file}: *`)
      ? [...text.matchAll(EXPORT)].map(([, name]) => `${file}: ${name}`).filter((name) => !names.has(name))
      : [],
  );
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

/** Files of each room of a library that other rooms import, by their paths in it; left out: rooms that are open as a whole, and those that nobody enters. */
export const doorsIn = (rooms: Rooms, imports: ReadonlyMap<string, readonly string[]>): Readonly<Record<string, readonly string[]>> => {
  const files = [...imports.keys()];
  const entered = new Set(
    [...imports].flatMap(([file, imported]) => imported.filter((path) => roomOf(rooms, path) !== roomOf(rooms, file))),
  );
  const doors = [...rooms.keys()].map((room) => {
    const inside = files.filter((file) => file.startsWith('libs/') && roomOf(rooms, file) === room);
    const names = inside
      .filter((file) => entered.has(file))
      .map((file) => file.replace(/^libs\/(\w+)\/src\//, '$1/').slice(room.length + 1));
    return [room, names.sort(), inside.length] as const;
  });
  return Object.fromEntries(doors.filter(([, { length }, all]) => length > 0 && length < OPEN * all).map(([room, names]) => [room, names]));
};

/** Commands that are not handled in the file that names them, so that an editor that goes to a command would not find its handler there. */
export const handledElsewhere = (sources: Sources): readonly string[] =>
  [...sources].flatMap(([file, text]) =>
    [...text.matchAll(COMMAND)]
      .filter(([, name]) => !new RegExp(`\\bCommandHandler\\(\\s*${name}\\b`).test(text))
      .map(([, name]) => `${file}: ${name}`),
  );

/** Imports between folders that lie beside each other and import each other, over others too: `folder: a → b → a`. */
export const circlesOfFolders = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const folders = new Map<string, Map<string, Set<string>>>();
  for (const [file, imported] of imports)
    for (const path of imported) {
      const [from, to] = [dirname(file).split('/'), dirname(path).split('/')];
      const parting = from.findIndex((name, index) => name !== to[index]);
      const [one, other] = [from[parting], to[parting]];
      if (one === undefined || other === undefined) continue; // one of them is in a folder above the other
      const parent = from.slice(0, parting).join('/');
      const neighbours = folders.get(parent) ?? new Map<string, Set<string>>();
      folders.set(parent, neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other)));
    }
  return [...folders].flatMap(([parent, neighbours]) =>
    circles(new Map([...neighbours].map(([name, others]) => [name, [...others]]))).map((way) => `${parent}: ${way}`),
  );
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
