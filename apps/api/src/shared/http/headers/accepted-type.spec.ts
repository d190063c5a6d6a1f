import { describe, expect, it } from '@jest/globals';
import { acceptedType } from './accepted-type.js';

describe('the accepted type', () => {
  it.each([
    [undefined, 'a/json'],
    ['', 'a/json'],
    ['*/*', 'a/json'],
    ['a/xml', 'a/xml'],
    ['a/xml;q=0.5,a/json', 'a/json'],
    ['a/xml; q=0.5, a/json', 'a/json'],
    ['a/json;\tQ = 0.5, a/xml', 'a/xml'],
    ['a/json; charset=utf-8; q=0.5, a/xml; q=0.6; extension=1', 'a/xml'],
    ['a/json; charset=utf-8', 'a/json'],
    ['a/json; q=0', undefined],
    ['a/json; q=0, */*; q=0.1', 'a/xml'],
    ['b/html', undefined],
  ])('of %j is %s', (accept, type) => expect(acceptedType(accept, ['a/json', 'a/xml'])).toBe(type));
});
