import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { formatTest } from './formats.js';

/** Formats of messaging contract 5.1, each with valid and invalid texts. */
const DATES = {
  right: ['2024-02-29', '0001-01-01', '9999-12-31'],
  wrong: ['2023-02-29', '2024-13-01', '2024-00-10', '2024-01-00', '24-01-01'],
};
const TIMES = {
  right: [
    '00:00:00',
    '23:59:59',
    '9:20:30',
    '10:20:30Z',
    '10:20:30+01:00',
    '10:20:30-23:59',
    '10:20:30.5',
    '10:20:30.123456789Z',
    '10:20:30Z+01:00',
  ],
  wrong: [
    '24:00:00',
    '10:60:00',
    '23:59:60Z',
    '10:20',
    '10:20:30z',
    '10:20:30+24:00',
    '10:20:30+0100',
    '10:20:30+01',
    '10:20:30.',
    ' 10:20:30',
    '10:20:30Z ',
  ],
};
const INSTANTS = {
  right: ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05.678Z', '2024-01-02T03:04:05+01:00', '2024-02-29T23:59:59.1-11:30'],
  wrong: [
    '2024-01-02t03:04:05Z',
    '2024-01-02T03:04:05z',
    '2024-01-02T03:04:05',
    '2024-01-02 03:04:05Z',
    '2023-02-29T03:04:05Z',
    '2016-12-31T23:59:60Z',
    '2024-01-02T24:00:00Z',
    '2024-01-02T03:04:05Z+01:00',
    '2024-01-02T',
    'T03:04:05Z',
  ],
};
const ADDRESSES = {
  right: [
    'a@b',
    'a.b@c.d',
    'A <a@b.c>',
    'A B <a@b.c>',
    'A. B <a@b.c>',
    'A<a@b.c>',
    '"A, B" <a@b.c>',
    '"a b"@c',
    '"a\\"b"@c',
    '"@"@c',
    '<a@b.c>',
    ' a@b',
    '\ta@b ',
    'a@b (home)',
    'a@b (a (b) \\))',
    'é@b',
    'a@é.org',
    'É <a@b>',
    "a+b_c!#$%&'*/=?^`{|}~-@b",
    'a@[192.0.2.1]',
    'a@[IPv6:2001:db8::1]',
    'a@-b',
    '😀@b',
  ],
  wrong: [
    '',
    ' ',
    'a',
    '@b',
    'a@',
    'a@b@c',
    '.a@b',
    'a.@b',
    'a..b@c',
    'a@b.',
    'a@.b',
    'a@b..c',
    'a b@c',
    'a@b c',
    'a@b,c@d',
    'a@b, c@d',
    '<a@b',
    'a@b>',
    '<a@b> c',
    'A <a@b',
    'A <>',
    'A (b) <a@b>',
    '"a@b',
    '"a"b@c',
    'a@b (c',
    'a@b c)',
    'a@b ()(',
    'a@[b',
    'a@[]',
    'a@b\n',
    '\na@b',
    'a@b\r\n',
    'a\u0000@b',
    '"\u0001"@b',
    'group: a@b;',
    '<@a,@b:c@d>',
    '\ud800@b',
  ],
};
const REFERENCES = {
  right: ['', '/', '/a', 'a', 'a/b:c', '?a:b', '#a', 'a b', '/a b?c d#e f', '//a.org/b', '///a', './a:b', 'é', '/%C3%A9', '?%zz', 'a?b%'],
  wrong: [':', ':a', '1:a', 'a%', '/%zz', '#%zz', '\\a', '/a\\b', 'a\u0000', '\u007f', 'a\nb', '//a b/c', '//a:b/c', '//a%41', 'é:a'],
};
const ABSOLUTE = [
  'http:',
  'http://',
  'http://a',
  'http://é.org',
  'http://é.org/ü?ö#ä',
  'HTTP://A.ORG:80/',
  'http://a:/',
  'http://:80',
  'http://u:p@a.org/b c',
  'http://[2001:db8::1]:80/a',
  'http:///a',
  'urn:a:b',
  'mailto:a@b',
  'a+b-c.1:d',
  'tel:1 2%',
];
const NOT_ABSOLUTE = [
  'http://a:b',
  'http://a b',
  'http://[::1',
  'http://[::1]a',
  'http://a]',
  'http://u p@a',
  'http://{a}',
  'http://a/%4',
  '1a:b',
  'http//a',
];

const FORMATS: Readonly<Record<string, Readonly<{ right: readonly string[]; wrong: readonly string[] }>>> = {
  date: { right: DATES.right, wrong: [...DATES.wrong, '2024-1-2', '2024-01-02Z', '2024-01-02T03:04:05Z', ''] },
  time: { right: TIMES.right, wrong: [...TIMES.wrong, '2024-01-02', ''] },
  'date-time': {
    right: [...DATES.right, ...TIMES.right, ...INSTANTS.right],
    wrong: [...DATES.wrong, ...TIMES.wrong, ...INSTANTS.wrong, ''],
  },
  hostname: {
    right: ['a', 'a.b', 'A-b.example.org', '1', '192.0.2.1', 'a'.repeat(63), `${'a.'.repeat(127)}a`],
    wrong: ['', '.', 'a.', '.a', 'a..b', '-a', 'a-', 'a_b', 'é', 'a b', 'a'.repeat(64), `${'a.'.repeat(128)}a`, 'a\n'],
  },
  email: ADDRESSES,
  'idn-email': ADDRESSES,
  ipv4: { right: ['192.0.2.1', '0.0.0.0', '255.255.255.255'], wrong: ['', '192.0.2', '192.0.2.256', '192.0.2.01', '::1', '192.0.2.1 '] },
  ipv6: {
    right: ['::', '::1', '2001:db8::1', '2001:DB8::1', '::ffff:192.0.2.1'],
    wrong: ['', '192.0.2.1', '1::2::3', ':::', '::1%eth0', '[::1]', '12345::'],
  },
  'uri-reference': {
    right: [...REFERENCES.right, ...ABSOLUTE],
    wrong: [...REFERENCES.wrong, ...NOT_ABSOLUTE.filter((text) => text !== 'http//a')],
  },
  'iri-reference': { right: [...REFERENCES.right, ...ABSOLUTE], wrong: REFERENCES.wrong },
  uri: { right: ABSOLUTE, wrong: [...REFERENCES.right, ...REFERENCES.wrong, ...NOT_ABSOLUTE] },
  iri: { right: ABSOLUTE, wrong: [...REFERENCES.right, ...REFERENCES.wrong, ...NOT_ABSOLUTE] },
  'uri-template': {
    right: [...REFERENCES.right, ...ABSOLUTE, '/a/{b}', '{a b}', '/a/b}', '{}', '{a{b}', '/{+a}/{?b,c*}', 'http://a.org/{b}'],
    wrong: [...REFERENCES.wrong, '{', '/a/{b', '/a/{b}/{c', '}{'],
  },
  uuid: {
    right: ['2f4f3c50-7c4e-4c57-8c2c-0123456789ab', '00000000-0000-0000-0000-000000000000'],
    wrong: [
      '',
      '2F4F3C50-7C4E-4C57-8C2C-0123456789AB',
      '2f4f3c507c4e4c578c2c0123456789ab',
      'urn:uuid:2f4f3c50-7c4e-4c57-8c2c-0123456789ab',
      '2f4f3c50',
    ],
  },
  regex: {
    right: ['', 'a+', '^[a-z]{2,5}$', '(?i)a', '(?P<n>a)', '\\pL', '\\d\\b', 'a{', '\\Q(\\E', '[[:alpha:]]', '(?:a|b)*?', '\\z'],
    wrong: [
      '(',
      ')',
      '(?=a)',
      '(?!a)',
      '(?<=a)',
      '(a)\\1',
      '[a',
      '*',
      'a**',
      '\\',
      'a{1001}',
      'a{2,1}',
      '\\u0041',
      '\\cA',
      '[z-a]',
      '(?#a)',
      '\\Z',
    ],
  },
  'json-pointer': { right: ['', '/', '/a/~0~1', '/é'], wrong: ['a', '/~', '/~2', '#/a'] },
  'relative-json-pointer': { right: ['0', '1/a', '12#', '0/~0'], wrong: ['', '/a', '01', '-1', '1a'] },
};

const rows = Object.entries(FORMATS).flatMap(([format, { right, wrong }]) => [
  ...right.map((text) => [format, text, true] as const),
  ...wrong.map((text) => [format, text, false] as const),
]);

/** Texts that make naive parsers slow. */
const LONG = [
  'a',
  ' ',
  '(',
  '"',
  '\\',
  '@',
  '.',
  '<',
  '{',
  '}',
  ':',
  '/',
  '%',
  '[',
  '%41',
  'a.',
  'a@',
  '" ',
  '0',
  '-',
  '~0',
  '((',
  '({',
  '::',
  '1:',
  '\\(',
]
  .map((piece) => piece.repeat(Math.ceil(65_536 / piece.length)).slice(0, 65_536))
  .flatMap((text) => [text, `a@${text}`.slice(0, 65_536), `http://${text}`.slice(0, 65_536), `${text.slice(1)}!`]);

describe('formats', () => {
  it.each(rows)('%s, %j: %s', (format, text, expected) => expect(formatTest(format)?.(text)).toBe(expected));

  it.each(['duration', 'Email', 'toString', '__proto__', ''])('%j is not enforced', (format) => expect(formatTest(format)).toBeUndefined());

  it('of texts beyond 65,536 characters are not satisfied', () => {
    expect(formatTest('email')?.(`${'a'.repeat(65_534)}@b`)).toBe(true);
    expect(formatTest('email')?.(`${'a'.repeat(65_535)}@b`)).toBe(false);
  });

  /** Its time limit is that of a test: for all these texts together, time that grows with the square of their length is longer. */
  it.each(Object.keys(FORMATS))('of long texts take time in proportion: %s', (format) => {
    const test = formatTest(format);
    expect(LONG.map((text) => typeof test?.(text))).toEqual(LONG.map(() => 'boolean'));
  });

  it('judge any text', () =>
    forAny(100, fc.constantFrom(...Object.keys(FORMATS)), fc.string({ unit: 'binary' }), (format, text) => {
      expect(typeof formatTest(format)?.(text)).toBe('boolean');
    }));

  it('read every address that is put together of its parts', async () => {
    const atom = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~é-]{1,10}$/);
    const dotted = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('.'));
    const quoted = fc.stringMatching(/^[ !#-Z^-~]{0,10}$/).map((text) => `"${text}"`);
    const plain = fc.tuple(fc.oneof(dotted, quoted), dotted).map((parts) => parts.join('@'));
    const name = fc.array(fc.oneof(atom, quoted), { maxLength: 3 }).map((words) => words.join(' '));
    const mailbox = fc.oneof(
      plain,
      fc.tuple(name, plain).map(([words, address]) => `${words} <${address}>`),
    );
    const padded = fc
      .tuple(fc.stringMatching(/^[ \t]{0,3}$/), mailbox, fc.constantFrom('', ' ', ' (a)', '(a (b)) '))
      .map((parts) => parts.join(''));
    await forAny(100, padded, (text) => expect([text, formatTest('email')?.(text)]).toEqual([text, true]));
    await forAny(100, padded, (text) => expect(formatTest('email')?.(`${text},`)).toBe(false));
  });
});
