import { expect, it } from '@jest/globals';
import { NumberText } from '#domain/shared/text/number-text.js';
import { atOnce, inSlices, type Pace, TimeSlice } from '#domain/shared/time-slice.js';
import { JsonReader } from './json-reader.js';
import { jsonTree } from './json-tree.js';

it('keeps the spelling of numbers and every key, of equal ones the last', async () => {
  const text = ' { "a" : [ 1.0 , [ ] , { } , "]\\"" ] , "__proto__" : null , "a b" : 1e400 , "b" : true , "b" : false } ';
  const read = (pace: Pace) => jsonTree(new JsonReader(text), pace);
  const trees = [atOnce(read), await inSlices(read, new TimeSlice(0))];
  const expected = new Map<string, unknown>([
    ['a', [new NumberText('1.0'), [], new Map(), ']"']],
    ['__proto__', null],
    ['a b', new NumberText('1e400')],
    ['b', false],
  ]);
  expect(trees).toEqual([expected, expected]);
});
