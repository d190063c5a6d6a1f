import { expect, it } from '@jest/globals';
import { EJSON } from 'bson';
import { parseExtended } from './extended-json.js';

it.each([
  '{"_id":{"$oid":"66000000000000000000000a"},"a":[{"$numberLong":"5"},{"b":{"$date":"2025-05-01T10:00:00.25Z"}}],"c":null,"d":10.5}',
  '{"a":{"$numberInt":"5"},"b":{"$numberDouble":"10.0"},"c":{"$numberDouble":"NaN"},"d":{"$numberLong":"9007199254740993"}}',
  '{"a":{"$date":{"$numberLong":"-62135596800000"}},"b":{"$numberDecimal":"1200.50"},"c":{},"d":[],"e":"$oid"}',
  '{"tags":{"info.$x":"1","a":{"b":true}},"b":{"$binary":{"base64":"AAE=","subType":"00"}},"u":{"$uuid":"00112233-4455-4677-8899-aabbccddeeff"}}',
  '[1,"a",{"$oid":"66000000000000000000000a"}]',
  '7',
])('%s is read as by bson', (text) => expect(parseExtended(text)).toEqual(EJSON.parse(text, { relaxed: true })));

it.each(['{"a":', '{"_id":{"$oid":"zz"}}', ''])('%j cannot be read', (text) => expect(() => parseExtended(text)).toThrow());
