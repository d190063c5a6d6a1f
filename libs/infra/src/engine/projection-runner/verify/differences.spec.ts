import { describe, expect, it } from '@jest/globals';
import { differingMembers } from './differences.js';

const between = (one: unknown, other: unknown) => differingMembers(Buffer.from(JSON.stringify(one)), Buffer.from(JSON.stringify(other)));

describe('members that differ', () => {
  it.each<[unknown, unknown, readonly string[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ['/a']],
    [{ a: 1 }, {}, ['/a']],
    [{}, { 'x/y~z': null }, ['/x~1y~0z']],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 3 }, 4] }, ['/a/1/b', '/a/2']],
    [{ a: {} }, { a: [] }, ['/a']],
    [{ a: null }, { a: {} }, ['/a']],
    [1, 2, ['']],
    [JSON.parse('{"__proto__": 1}'), {}, ['/__proto__']],
  ])('of %j and %j are %j', (one, other, members) => {
    expect(between(one, other)).toEqual(members);
  });

  it('are ten at most', () => {
    const many = (value: number) => Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`m${index}`, value]));
    expect(between(many(1), many(2))).toHaveLength(10);
  });

  it('are found in the items of a list without its brackets', () => {
    expect(differingMembers(Buffer.from('{"a":1},{"a":2}'), Buffer.from('{"a":1},{"a":3}'))).toEqual(['/1/a']);
    expect(differingMembers(Buffer.from('no json'), Buffer.from('other'))).toEqual(['']);
  });
});
