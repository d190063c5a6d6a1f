import { expect, it } from '@jest/globals';
import { DatedNames } from './dated-names.js';

/** `read`: tenants whose whole records were read. */
const records = (changes: Map<string, string>) => {
  const read: string[] = [];
  const names = new DatedNames({
    lastChange: async (tenantId) => changes.get(tenantId) ?? '',
    newestNames: async function* (tenantId) {
      read.push(tenantId);
      for (const part of ['a', 'b']) yield [{ id: part, name: `${tenantId} ${part} ${changes.get(tenantId)}` }];
    },
  });
  const of = async (tenantId: string) => {
    const pages: (readonly string[])[] = [];
    for await (const page of names.of(tenantId)) pages.push(page.map(({ name }) => name));
    return pages;
  };
  return { names, read, of };
};

it('whole records are read for names only after one of the tenant has changed', async () => {
  const changes = new Map([
    ['s', '1'],
    ['t', '1'],
  ]);
  const { read, of } = records(changes);
  const before = [['t a 1'], ['t b 1']];
  expect([await of('t'), await of('s'), await of('t')]).toEqual([before, [['s a 1'], ['s b 1']], before]);
  expect(read).toEqual(['t', 's']);
  changes.set('t', '2');
  expect([await of('t'), await of('t'), await of('s')]).toEqual([
    [['t a 2'], ['t b 2']],
    [['t a 2'], ['t b 2']],
    [['s a 1'], ['s b 1']],
  ]);
  expect(read).toEqual(['t', 's', 't']);
});

it('a change while names are read, and a search that ends early, leave none in memory that are older', async () => {
  const changes = new Map([['t', '1']]);
  const { names, read, of } = records(changes);
  for await (const _ of names.of('t')) changes.set('t', '2');
  expect(await of('t')).toEqual([['t a 2'], ['t b 2']]);
  changes.set('t', '3');
  for await (const _ of names.of('t')) break;
  expect(await of('t')).toEqual([['t a 3'], ['t b 3']]);
  expect(read).toEqual(['t', 't', 't', 't']);
});
