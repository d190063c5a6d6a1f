import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { linksIn } from './markdown.js';
import { alikeIn, wordCount } from './pages.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_WORDS = 4_000;
const MOST_WORDS_OF_A_DECISION = 200;

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const pagesBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();

const documents = pagesBelow('docs');
const records = documents.filter((path) => /^docs\/decisions\/\d/.test(path));
const pages = documents.filter((path) => !records.includes(path));

describe('a page', () => {
  it('has at most 4,000 words, without bars of tables', () => {
    expect(pages.filter((path) => wordCount(read(path)) > MOST_WORDS)).toEqual([]);
  });

  it('is linked by docs/README.md', () => {
    const linked = linksIn(read('docs/README.md')).map((link) => `docs/${link.replace(/#.*/, '')}`);
    expect(pages.filter((path) => !linked.includes(path))).toEqual(['docs/README.md']);
  });

  it('has no row and no sentence of another page', () => {
    const all = [...documents, 'README.md', 'CONTRIBUTING.md', 'SECURITY.md'];
    expect(alikeIn(new Map(all.map((path) => [path, read(path)])))).toEqual([]);
  });
});

describe('a record of a decision', () => {
  it('has at most 200 words', () => expect(records.filter((path) => wordCount(read(path)) > MOST_WORDS_OF_A_DECISION)).toEqual([]));

  it('is in the index, with its title', () => {
    const items = Array.from(read('docs/decisions/README.md').matchAll(/^- \[(\d{4})\]\((\S+)\) ([^()]+?)(?: \(.+\))?$/gm));
    expect(items.map(([, number, file, title]) => `${number} ${file} ${title}`)).toEqual(
      records.map((path) => {
        const file = path.replace('docs/decisions/', '');
        return `${file.slice(0, 4)} ${file} ${/^# (.+)$/m.exec(read(path))?.[1]}`;
      }),
    );
  });
});

describe('passages of two pages', () => {
  const row = '| the first of all calls | is answered by the node that has the lease of the topic | 200 |';
  const text = 'Nothing is lost. The first of all calls is answered by the node that has the lease of\nthe topic, 200. More.';
  const alike = (one: string, other: string): number =>
    alikeIn(
      new Map([
        ['one', one],
        ['other', other],
      ]),
    ).length;

  it('are alike if four of five words are the same, in tables, lists and sentences', () => {
    expect(alike(row, text)).toBe(1);
    expect(alike(`- Before.\n- ${text}`, row.replace('topic', 'queue'))).toBe(1);
  });

  it('are not alike if fewer words are, if they are short, code, or of one page', () => {
    expect(alike(row, text.replace('first', 'last').replace('lease', 'log').replace('topic', 'queue'))).toBe(0);
    expect(alike('| a row | of few words |', '| a row | of few words |')).toBe(0);
    expect(alike(`\`\`\`\n${row}\n\`\`\``, row)).toBe(0);
    expect(alike(`${row}\n${row}`, 'Nothing.')).toBe(0);
  });
});

it('bars and rulers of tables are no words', () => expect(wordCount('| a | b-c |\n| --- | --: |\n| `d` | 5 % |')).toBe(4));
