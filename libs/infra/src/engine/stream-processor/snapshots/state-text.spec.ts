import { describe, expect, it } from '@jest/globals';
import { linesOf, stateOf, textOf } from './state-text.js';

const roundTrip = async (state: unknown): Promise<unknown> => stateOf(await textOf(state));

describe('the text of a state', () => {
  it('gives back plain data, maps and sets at any depth, in their order', async () => {
    const nested = { list: [1, ['a', 'm'], { $m: null }], map: new Map([['k', new Set([1, 2])]]), '': 'ä\n"', none: null };
    const state = {
      names: new Map<unknown, unknown>([
        ['z', nested],
        ['a', 1],
        [5, []],
      ]),
      ids: new Set(['b', 'a']),
      nested,
      total: -1.5,
    };
    const found = (await roundTrip(state)) as typeof state;
    expect(found).toEqual(state);
    expect([...found.names.keys()]).toEqual(['z', 'a', 5]);
    expect([...found.ids]).toEqual(['b', 'a']);
    for (const plain of [null, 0, 'text', [], ['m', 'x'], new Map(), { empty: new Map(), set: new Set() }, {}, { a: { m: 1 } }])
      expect(await roundTrip(plain)).toEqual(plain);
  });

  it('keeps members that are named like parts of an object, and leaves out those without a value', async () => {
    const state = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c", "in": {"__proto__": [1]}}');
    expect(JSON.stringify(await roundTrip(state))).toBe(JSON.stringify(state));
    expect(await roundTrip({ a: undefined, b: { c: undefined } })).toEqual({ b: {} });
  });

  it('is not made of what it could not give back', () => {
    for (const state of [{ a: new Date(0) }, { a: new (class Sizes {})() }, { a: [1n] }, { a: Number.NaN }, { a: () => 1 }])
      expect(() => [...linesOf(state)]).toThrow(TypeError);
  });

  it('is refused if it is none', async () => {
    for (const text of ['{', '["x"]', '["e",1,2]', '["m","a"]\n["i",1]', 'null']) await expect(stateOf(text)).rejects.toThrow();
  });

  it('of a large state is read entry by entry', async () => {
    const state = { names: new Map(Array.from({ length: 50_000 }, (_, n) => [`name ${n}`, { id: `${n}`, roles: ['a', 'b'] }])) };
    expect(await roundTrip(state)).toEqual(state);
  });
});
