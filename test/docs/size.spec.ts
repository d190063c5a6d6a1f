import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { wordCount } from './pages.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_WORDS_OF_A_DECISION = 200;

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const records = readdirSync(join(ROOT, 'docs/decisions'))
  .filter((name) => /^\d/.test(name))
  .map((name) => `docs/decisions/${name}`)
  .sort();

describe('a record of a decision', () => {
  it('has at most 200 words', () => expect(records.filter((path) => wordCount(read(path)) > MOST_WORDS_OF_A_DECISION)).toEqual([]));

  it('is in the index, with its title, and whether it holds', () => {
    const rows = Array.from(read('docs/decisions/README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \| (.+) \| (.+) \|$/gm));
    expect(rows.map(([, number, file, title]) => `${number} ${file} ${title}`)).toEqual(
      records.map((path) => {
        const file = path.replace('docs/decisions/', '');
        return `${file.slice(0, 4)} ${file} ${/^# (.+)$/m.exec(read(path))?.[1]}`;
      }),
    );
    expect(rows.filter(([, , , , state = '']) => !state.startsWith('holds')).map(([row]) => row)).toEqual([]);
  });
});

it('bars and rulers of tables are no words', () => expect(wordCount('| a | b-c |\n| --- | --: |\n| `d` | 5 % |')).toBe(4));
