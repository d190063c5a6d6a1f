import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  circles,
  circlesOfFolders,
  crowded,
  doorsIn,
  handledElsewhere,
  importsIn,
  long,
  needingJest,
  roomOf,
  roomsIn,
  sourcesIn,
  unimported,
  upwards,
} from './rooms.js';

const ROOT = resolve(import.meta.dirname, '../..');

describe('the rooms of the program', () => {
  const rooms = roomsIn(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'));
  const sources = sourcesIn(ROOT);
  const imports = importsIn(ROOT, sources);

  it('hold every file', () => {
    expect(imports.size).toBeGreaterThan(1_000);
    expect([...imports.keys()].filter((file) => roomOf(rooms, file) === undefined)).toEqual([]);
  });

  it('are all there', () => {
    const used = new Set([...imports.keys()].map((file) => roomOf(rooms, file)));
    expect([...rooms.keys()].filter((room) => !used.has(room))).toEqual([]);
  });

  it('know only those below', () => expect(upwards(rooms, imports)).toEqual([]));

  it('have no circles of files', () => expect(circles(imports)).toEqual([]));

  it('have no circles of folders', () => expect(circlesOfFolders(imports)).toEqual([]));

  it('are entered by their doors: the files of test/docs/doors.json', () => {
    expect(doorsIn(rooms, imports)).toEqual(JSON.parse(readFileSync(join(import.meta.dirname, 'doors.json'), 'utf8')));
  });

  it('name commands where they handle them', () => expect(handledElsewhere(sources)).toEqual([]));

  it('export only names that another file imports', () => expect(unimported(ROOT, sources)).toEqual([]));
});

describe('folders', () => {
  it('have at most 25 sources', () => expect(crowded(sourcesIn(ROOT).keys())).toEqual([]));

  it('are counted with specs', () => {
    const files = (folder: string, count: number) => Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`);
    const all = [...files('apps/a', 26), ...files('apps/b', 25), ...files('apps/c', 25), 'apps/c/0.spec.ts', 'apps/b/d/only.ts'];
    expect(crowded(all)).toEqual(['apps/a: 26', 'apps/c: 26']);
  });
});

describe('files of the program', () => {
  it('have at most 300 lines', () => expect(long(sourcesIn(ROOT))).toEqual([]));

  it('are counted without specs', () => {
    const text = 'x\n'.repeat(301);
    const sources = ['apps/a.ts', 'apps/a.spec.ts', 'test/b.ts'].map((file) => [file, text] as const);
    expect(long(new Map([...sources, ['libs/c.ts', text.slice(2)]]))).toEqual(['apps/a.ts: 301']);
  });
});

it('each part of a suite is in one', () => {
  const sources = sourcesIn(ROOT);
  const suites = [...sources].filter(([file]) => file.endsWith('.int-spec.ts'));
  const isImported = (part: string): boolean =>
    suites.some(([suite, text]) => text.includes(`import './${relative(dirname(suite), part).replace(/\.ts$/, '.js')}'`));
  expect([...sources.keys()].filter((file) => file.endsWith('.part-spec.ts') && !isImported(file))).toEqual([]);
});

it('attacks, benches and faults run without jest', () =>
  expect(needingJest(ROOT, sourcesIn(ROOT), (file) => /^test\/(attack|bench|faults|migration)\//.test(file))).toEqual([]));

describe('imports that break the plan', () => {
  const rooms = roomsIn('| 1 | `api/b` · `api/c` | x |\n| 0 | `api/a` | x |\n| 1 | `domain/b` | y |');

  it('look up, or across', () => {
    const imports = new Map([
      ['apps/api/src/a/one.ts', ['apps/api/src/b/two.ts', 'libs/domain/src/b/x.ts']],
      ['apps/api/src/b/two.ts', ['apps/api/src/c/three.ts', 'apps/api/src/a/one.ts']],
      ['apps/api/src/c/three.ts', []],
    ]);
    expect(upwards(rooms, imports)).toEqual([
      'apps/api/src/a/one.ts → apps/api/src/b/two.ts',
      'apps/api/src/b/two.ts → apps/api/src/c/three.ts',
    ]);
    expect(circles(imports)).toEqual(['apps/api/src/a/one.ts → apps/api/src/b/two.ts → apps/api/src/a/one.ts']);
  });

  it('go past a door', () => {
    const imports = new Map([
      ['libs/domain/src/b/in.ts', ['libs/domain/src/b/inner.ts']],
      ['libs/domain/src/b/inner.ts', []],
      ['apps/api/src/a/x.ts', ['libs/domain/src/b/in.ts']],
    ]);
    expect(doorsIn(rooms, imports)).toEqual({ 'domain/b': ['in.ts'] });
    imports.set('apps/api/src/b/y.ts', ['libs/domain/src/b/inner.ts']);
    expect(doorsIn(rooms, imports)).toEqual({}); // open as a whole
  });

  it('part a command from its handler', () => {
    const command = 'export class Delete extends CommandWith<Data, Result> {}\n';
    const sources = new Map([
      ['a.ts', `${command}@CommandHandler(Delete)`],
      ['b.ts', `${command}@CommandHandler(Create)`],
    ]);
    expect(handledElsewhere(sources)).toEqual(['b.ts: Delete']);
  });

  it('go from folder to folder and back', () => {
    const imports = new Map([
      ['apps/api/src/a/one/x.ts', ['apps/api/src/a/two/y.ts', 'apps/api/src/a/z.ts']],
      ['apps/api/src/a/two/y.ts', ['apps/api/src/a/z.ts']],
      ['apps/api/src/a/two/deep/w.ts', ['apps/api/src/a/one/x.ts']],
      ['apps/api/src/a/z.ts', ['apps/api/src/a/one/x.ts']], // what lists them
    ]);
    expect(circlesOfFolders(imports)).toEqual(['apps/api/src/a: one → two → one']);
  });
});
