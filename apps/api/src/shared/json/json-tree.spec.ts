import { expect, it } from '@jest/globals';
import { NumberText } from '#domain/shared/number-text.js';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { JsonReader } from './json-reader.js';
import { jsonTree, jsonTreeInSlices } from './json-tree.js';

it('keeps the spelling of numbers and every key, of equal ones the last', async () => {
  const text = ' { "a" : [ 1.0 , [ ] , { } , "]\\"" ] , "__proto__" : null , "a b" : 1e400 , "b" : true , "b" : false } ';
  const trees = [jsonTree(JsonReader.over(text)), await jsonTreeInSlices(JsonReader.over(text), new TimeSlice(0))];
  const expected = new Map<string, unknown>([
    ['a', [new NumberText('1.0'), [], new Map(), ']"']],
    ['__proto__', null],
    ['a b', new NumberText('1e400')],
    ['b', false],
  ]);
  expect(trees).toEqual([expected, expected]);
});
