import { describe, expect, it } from '@jest/globals';
import avro from 'avsc';
import { Budget, TooMuchWork } from '#infra/edges/schemas/budget.js';
import { DatumInvalid } from './avro-datum.js';
import { compileAvroTexts } from './avro-texts.js';

const record = (...fields: readonly (readonly [name: string, type: unknown])[]) =>
  ({ type: 'record', name: 'r', fields: fields.map(([name, type]) => ({ name, type })) }) as never;
const budget = () => new Budget(1_000);

describe('texts of an Avro record', () => {
  const symbols = { type: 'enum', name: 'e', symbols: ['OK', 'DOWN'] };
  const schema = record(
    ['a', 'string'],
    ['n', 'long'],
    ['b', ['null', 'string']],
    ['m', { type: 'map', values: 'string' }],
    ['e', symbols],
  );
  const read = compileAvroTexts(schema);
  const datum = (value: object) => avro.Type.forSchema(schema).toBuffer(value);

  it('are found by the names of their fields, whatever lies between them', () => {
    expect(read(datum({ a: 'x', n: 7, b: 'ü', m: { k: 'v' }, e: 'DOWN' }), budget())).toEqual({ a: 'x', b: 'ü', e: 'DOWN' });
    expect(read(datum({ a: '', n: 7, b: null, m: {}, e: 'OK' }), budget())).toEqual({ a: '', e: 'OK' });
  });

  it.each([63, 64, 200, 8_192, 100_000])('may have %i bytes, in UTF-8', (length) => {
    for (const text of ['x'.repeat(length), `${'x'.repeat(length - 4)}üü`, `${'x'.repeat(length - 3)}\uFFFD`])
      expect(read(datum({ a: text, n: 7, b: text, m: {}, e: 'OK' }), new Budget(1_000))).toEqual({ a: text, b: text, e: 'OK' });
    const wrong = datum({ a: 'x'.repeat(length), n: 7, b: null, m: {}, e: 'OK' });
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xef, 0xbf]]) {
      const changed = Buffer.from(wrong);
      Buffer.from(bytes).copy(changed, length - 10);
      expect(() => read(changed, budget())).toThrow('a text is not UTF-8');
    }
  });

  it('are those of exactly one datum', () => {
    const whole = datum({ a: 'x', n: 7, b: 'y', m: { k: 'v' }, e: 'OK' });
    for (const wrong of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(1)]), Buffer.alloc(0), Buffer.from([2, 0xff])])
      expect(() => read(wrong, budget())).toThrow(DatumInvalid);
  });

  it('take no memory for what a few bytes stand for', () => {
    const nulls = compileAvroTexts(record(['nulls', { type: 'array', items: 'null' }], ['a', 'string']));
    const billions = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 2, 0x61]);
    expect(nulls(Buffer.from([2, 0, 2, 0x61]), budget())).toEqual({ a: 'a' });
    expect(() => nulls(billions, budget())).toThrow(DatumInvalid);
    const texts = compileAvroTexts(record(['a', { type: 'array', items: 'string' }]));
    expect(() => texts(billions, budget())).toThrow(DatumInvalid);
    const many = Buffer.concat([Buffer.from([0xc0, 0x9a, 0x0c]), Buffer.alloc(100_001)]);
    expect(() => texts(many, budget())).toThrow(TooMuchWork);
  });

  it('need a record', () => expect(() => compileAvroTexts({ type: 'string' })).toThrow('not that of a record'));
});
