import { expect, it } from '@jest/globals';
import { JsonReader } from './json-reader.js';
import { jsonTree, Spelled } from './json-tree.js';

it('keeps the spelling of numbers and every key, of equal ones the last, and counts the values', () => {
  let values = 0;
  const text = ' { "a" : [ 1.0 , [ ] , { } , "]\\"" ] , "__proto__" : null , "a b" : 1e400 , "b" : true , "b" : false } ';
  const tree = jsonTree(JsonReader.over(text), () => {
    values += 1;
  });
  expect(tree).toEqual(
    new Map<string, unknown>([
      ['a', [new Spelled('1.0'), [], new Map(), ']"']],
      ['__proto__', null],
      ['a b', new Spelled('1e400')],
      ['b', false],
    ]),
  );
  expect(values).toBe(10);
});
