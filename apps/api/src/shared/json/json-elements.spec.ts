import { describe, expect, it } from '@jest/globals';
import { elementsOf, type JsonElement, linesOf, membersOf } from './json-elements.js';
import { MalformedJson } from './json-reader.js';

const texts = (items: (body: Buffer) => Iterable<JsonElement | undefined>, body: string): [number, string][] => {
  const bytes = Buffer.from(body);
  return [...items(bytes)].flatMap((item) => (item ? [[item.line, bytes.toString('utf8', item.start, item.end)]] : []));
};

describe('the items of a body', () => {
  it.each([
    ['', []],
    ['{"a":1}', [[1, '{"a":1}']]],
    [
      '{}\n{"é":"\\n"}\n',
      [
        [1, '{}'],
        [2, '{"é":"\\n"}'],
      ],
    ],
    [
      '\n \t\r\n{}\r\n\n1',
      [
        [3, '{}\r'],
        [5, '1'],
      ],
    ],
  ] as const)('are the lines of %j', (body, expected) => expect(texts(linesOf, body)).toEqual(expected));

  it.each([
    ['[]', []],
    [' \n[ ]\t', []],
    ['null', []],
    [' null\n', []],
    ['[1]', [[1, '1']]],
    [
      ' [ {"a":[1,{}]} , "x]\\",[" ,\nnull]\n',
      [
        [1, '{"a":[1,{}]} '],
        [2, ' "x]\\",[" '],
        [3, '\nnull'],
      ],
    ],
    [
      '[{"é":"日"},[],{}]',
      [
        [1, '{"é":"日"}'],
        [2, '[]'],
        [3, '{}'],
      ],
    ],
    [
      '["\\\\",2]',
      [
        [1, '"\\\\"'],
        [2, '2'],
      ],
    ],
  ] as const)('are the elements of %j', (body, expected) => expect(texts(elementsOf, body)).toEqual(expected));

  it.each(['', ' ', '{}', '"[]"', '5', 'nullx', 'null null', '[', '[1', '[1,', '["]', '["\\"]', '[1] 2', '[1]]', '[{}', '[[1]', '[]]'])(
    'are refused where %j is no array',
    (body) => expect(() => texts(elementsOf, body)).toThrow(MalformedJson),
  );
  it('are not searched for in values and blanks beyond the length limits', () => {
    for (const long of [`["${'a'.repeat(9 * 2 ** 20)}"]`, `[[${'[1],'.repeat(3 * 2 ** 20)}1]]`, `[${' '.repeat(2 ** 20 + 2)}1]`])
      expect(() => texts(elementsOf, long)).toThrow(MalformedJson);
  });
  it('yield to other work after very many blank lines', () => {
    const items = [...linesOf(Buffer.from(`${'\n'.repeat(10_000)}1`))];
    expect(items).toEqual([...Array.from({ length: 10 }, () => undefined), { line: 10_001, start: 10_000, end: 10_001 }]);
  });

  it.each(['[1,]', '[,]', '[,1]', '[1,,2]', '[{]}]'])('of %j turn out not to be JSON when they are parsed', (body) =>
    expect(() => texts(elementsOf, body).map(([, text]) => JSON.parse(text))).toThrow(),
  );
});

describe('the members of a body', () => {
  const members = (body: string): [string, string][] => {
    const bytes = Buffer.from(body);
    return Array.from(membersOf(bytes), ({ key, start, end }) => [key, bytes.toString('utf8', start, end).trim()]);
  };

  it.each([
    ['{}', []],
    [' { } ', []],
    ['null', []],
    ['{"a":1}', [['a', '1']]],
    [
      ' {"\\u0041" : [1,{"b":"}"}] , "a\\"" :"x" ,"a":null } ',
      [
        ['A', '[1,{"b":"}"}]'],
        ['a"', '"x"'],
        ['a', 'null'],
      ],
    ],
  ] as const)('are found in %j', (body, expected) => expect(members(body)).toEqual(expected));

  it.each([
    '',
    '[]',
    '"a"',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a" 1}',
    '{a:1}',
    '{"a":1]',
    '{"a":1} x',
    '{,}',
    '{"a":1,}',
    '{"a\n":1}',
    '{1:2}',
  ])('are refused if %j is not an object', (body) => expect(() => members(body)).toThrow(MalformedJson));
});
