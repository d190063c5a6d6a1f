import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Budget, stepsFor, TooMuchWork } from '#infra/edges/schemas/budget.js';
import { forAny } from '#test/support/for-any.js';
import { compilePattern } from './pattern.js';
import { unicodeClass } from './pattern-classes.js';

const finds = (source: string, text: string): boolean => compilePattern(source)(text, new Budget(stepsFor(text.length)));

describe('patterns', () => {
  it('compile a class of Unicode once', () => {
    expect(unicodeClass('Greek')).toBe(unicodeClass('Greek'));
    expect([...'αa'].map((letter) => finds('^[\\p{Greek}\\p{Greek}\\pN]$', letter))).toEqual([true, false]);
    expect([unicodeClass('None'), unicodeClass('None')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['^[a-z0-9-]+$', 'site-1', true],
    ['^[a-z0-9-]+$', 'Site', false],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['a{2,3}$', 'xaa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}$', 'aaaa', true],
    ['^a{2}$', 'a', false],
    ['a{', 'a{', true],
    ['^(?:GR|IT)-\\d{2}$', 'IT-07', true],
    ['^(?P<country>[A-Z]{2})$', 'GR', true],
    ['^(?<country>[A-Z]{2})$', 'gr', false],
    ['(?i)^gr$', 'GR', true],
    ['^(?i:g)r$', 'GR', false],
    ['^((?i)g)r$', 'GR', false],
    ['(?i)^[^a]$', 'A', false],
    ['^.$', '\n', false],
    ['(?s)^.$', '\n', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['\\Aa\\z', 'a', true],
    ['\\bcat\\b', 'a cat.', true],
    ['\\bcat\\b', 'concat', false],
    ['\\Bcat', 'concat', true],
    ['^\\Qa.b\\E+$', 'a.bb', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^[[:alpha:]_]+$', 'a_B', true],
    ['^[[:^digit:]]$', '1', false],
    ['^\\pL+$', 'éß', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^\\P{Greek}+$', 'αβγ', false],
    ['^[\\d\\-]+$', '1-2', true],
    ['^[]a]$', ']', true],
    ['^[a-]$', '-', true],
    ['^\\x41\\x{1F600}\\101$', 'A😀A', true],
    ['^.$', '😀', true],
    ['^\\/\\.\\t$', '/.\t', true],
    ['^(a|ab)(c|bcd)$', 'abcd', true],
    ['', 'anything', true],
    ['^$', '', true],
    ['(a*)*$', 'aaab', true],
    ['x*?y??', '', true],
    ['^a|b$', 'xb', true],
  ])('look for %s in %j: %s', (source, text, expected) => expect(finds(source, text)).toBe(expected));

  it.each([
    '(',
    ')',
    'a)',
    '[a',
    '*a',
    'a**',
    'a{2}{3}',
    'a{1001}',
    'a{3,2}',
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(a)\\1',
    '\\',
    '\\y',
    '[z-a]',
    '[[:nothing:]]',
    '\\p{Nothing}',
    '((a{500}){500}){500}',
    `[${'ab'.repeat(200)}]`,
    '((((){1000}){1000}){1000}){1000}',
    `${'('.repeat(300)}${')'.repeat(300)}`,
  ])('may not be %s', (source) => expect(() => compilePattern(source)).toThrow('error parsing regexp: '));

  it('match what regular expressions match', async () => {
    const piece: fc.Arbitrary<string> = fc.letrec<{ piece: string }>((tie) => ({
      piece: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '^', '$', '\\b', '\\w'),
        fc.tuple(tie('piece'), fc.constantFrom('*', '+', '?', '{1,2}', '*?')).map(([part, repeat]) => `(?:${part})${repeat}`),
        fc.tuple(tie('piece'), tie('piece')).map((parts) => parts.join('')),
        fc.tuple(tie('piece'), tie('piece')).map((parts) => `(${parts.join('|')})`),
      ),
    })).piece;
    await forAny(100, piece, fc.array(fc.constantFrom('a', 'b', ' '), { maxLength: 8 }), (source, characters) => {
      const text = characters.join('');
      expect(finds(source, text)).toBe(new RegExp(source).test(text));
    });
  });

  it('take linear time where backtracking takes exponential time', () => {
    expect(finds('^(a+)+$', `${'a'.repeat(100_000)}b`)).toBe(false);
    expect(finds('^(a|a)*$', `${'a'.repeat(100_000)}b`)).toBe(false);
  });

  it('give up when the steps of a text are used up', () => {
    expect(() => finds('(.{1,500}){1,5}b', 'a'.repeat(100_000))).toThrow(TooMuchWork);
  });
});
