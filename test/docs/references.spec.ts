import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CONTINUED, citationsIn, commentsIn, dangling, pathsIn } from './citations.js';
import { codeIn, commandsIn, linksIn, type Targets, targetsIn } from './markdown.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['apps', 'libs', 'test', 'tools', 'docs', 'samples'];
/** These tests are full of references that lead nowhere on purpose. */
const THESE = 'test/docs/';

type Source = Readonly<{ path: string; text: string }>;

const sources: readonly Source[] = [
  ...readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  ...FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)),
]
  .filter((path) => ['.md', '.ts', '.mjs'].includes(extname(path)) && !path.startsWith(THESE))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const documents = sources.filter(({ path }) => path.endsWith('.md'));
const programs = sources.filter(({ path }) => !path.endsWith('.md'));
const exists = (path: string): boolean => existsSync(join(ROOT, path));

const known = new Map<string, Targets>(documents.map(({ path, text }) => [path, targetsIn(text)]));
const decisions = new Set(documents.flatMap(({ path }) => /^docs\/(decisions\/\d{4})-/.exec(path)?.[1] ?? []));

const isThere = (document: string, place: string | undefined): boolean => {
  if (decisions.has(document)) return true;
  return [document, ...(CONTINUED[document] ?? [])].some((page) => {
    const targets = known.get(`docs/${page}`);
    return targets !== undefined && (place === undefined || targets.sections.has(place) || targets.ids.has(place));
  });
};

/** Where something is wrong, and what; sorted, so that a failure reads like a list of things to do. */
const problems = (of: readonly Source[], find: (source: Source) => readonly string[]): readonly string[] =>
  of.flatMap((source) => find(source).map((problem) => `${source.path}: ${problem}`)).sort();

/** The text that people read, its lines joined: the whole of a document; of a program everything, for titles of tests cite too. */
const readable = ({ path, text }: Source): string =>
  path.endsWith('.md') ? text.replaceAll('\n', ' ') : text.replace(/\n\s*(?:\*(?!\/)|\/\/)\s*/g, ' ');

describe('references', () => {
  it('are found in documents and in programs', () => {
    const countIn = (some: readonly Source[]): number => some.flatMap((source) => citationsIn(readable(source))).length;
    expect([countIn(documents) > 20, countIn(programs) > 200]).toEqual([true, true]);
  });

  it('to contracts, the design and decisions name a section or an id that is there', () =>
    expect(
      problems(sources, (source) =>
        citationsIn(readable(source)).flatMap(({ text, document, place }) =>
          isThere(document, place) ? [] : [`${text} (${place ?? document})`],
        ),
      ),
    ).toEqual([]));

  it('name the contract, and stay inside the repository', () =>
    expect(problems(sources, (source) => dangling(readable(source)))).toEqual([]));

  it('to errors of the messaging service, in comments on it, name one of its catalogue', () => {
    const messaging = programs.filter(({ path }) => path.includes('/messaging/') || path.startsWith('libs/infra/src/edges/push/'));
    expect(messaging.length).toBeGreaterThan(0);
    expect(
      problems(messaging, ({ text }) =>
        commentsIn(text)
          .flatMap((comment) => comment.match(/\b[BUFNTCLI]\d\d\b/g) ?? [])
          .filter((id) => !isThere('contracts/messaging.md', id)),
      ),
    ).toEqual([]);
  });

  it('to shapes of the status service, in comments on it, name one of its tables', () => {
    const status = programs.filter(({ path }) => path.includes('/status/'));
    expect(status.length).toBeGreaterThan(0);
    expect(
      problems(status, ({ text }) =>
        commentsIn(text)
          .flatMap((comment) => comment.match(/\b(?:E\d{3}[A-Z]*|EMSG\w*|ESTAT|S-[A-Z]+)\b/g) ?? [])
          .filter((tag) => !isThere('contracts/status.md', tag)),
      ),
    ).toEqual([]);
  });

  it('by links lead to a file, and to a heading of it', () =>
    expect(
      problems(documents, ({ path, text }) =>
        linksIn(text).filter((link) => {
          const [file = '', anchor] = link.split('#');
          const target = file === '' ? path : relative(ROOT, resolve(ROOT, dirname(path), decodeURIComponent(file)));
          if (target.startsWith('..') || !exists(target)) return true;
          return anchor !== undefined && !known.get(target)?.anchors.has(anchor);
        }),
      ),
    ).toEqual([]));

  it('to the command line stand behind a definition of `logbook` that a checkout has, in the same document', () => {
    const commands = documents.flatMap(({ path, text }) => {
      let isDefined = false;
      return commandsIn(text).flatMap((command) => {
        isDefined ||= command.startsWith('logbook() { node tools/logbook.mjs "$@"; }');
        return /(^|[ (])logbook [a-z]/.test(command) ? [{ path, command, isDefined }] : [];
      });
    });
    expect(new Set(commands.map(({ path }) => path))).toContain('README.md');
    expect(commands.filter(({ isDefined }) => !isDefined)).toEqual([]);
  });

  it('by paths, in documents and comments, name a file or folder', () => {
    const missing = (texts: readonly string[]): readonly string[] => texts.flatMap(pathsIn).filter((path) => !exists(path));
    expect(problems(documents, ({ text }) => missing(codeIn(text)))).toEqual([]);
    expect(problems(programs, ({ text }) => missing(commentsIn(text)))).toEqual([]);
  });
});
