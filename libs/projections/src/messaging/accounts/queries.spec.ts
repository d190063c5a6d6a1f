import { describe, expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { AccountQueries } from './queries.js';

const COUNT = 60;
const orderOf = (index: number): string => index.toString(16).padStart(24, '0');

/** Members of the project `p`, of which every tenth is in another project only. `sizes`: of reads of whole users. */
const accounts = () => {
  const all = Array.from({ length: COUNT }, (_, index) => ({
    userId: `u${index}`,
    name: `n${index}`,
    memberships: [{ projectId: index % 10 === 0 ? 'q' : 'p', roles: [] }],
    order: orderOf(index),
  }));
  const reference = ({ userId }: Readonly<{ userId: string }>): string => JSON.stringify({ userId });
  const ofProject = all.filter((_, index) => index % 10 !== 0);
  const view = memoryView({
    users: Object.fromEntries(all.map((user) => [user.userId, JSON.stringify(user)])),
    'users.by-name': Object.fromEntries(all.map((user) => [user.name, reference(user)])),
    'users.in-order': Object.fromEntries(all.map((user) => [user.order, reference(user)])),
    members: Object.fromEntries([...ofProject, { userId: 'gone', order: orderOf(COUNT) }].map((one) => [`p/${one.order}`, reference(one)])),
  });
  const sizes: number[] = [];
  const getMany = (collection: string, keys: readonly string[]) => {
    if (collection === 'users') sizes.push(keys.length);
    return view.getMany(collection, keys);
  };
  const queries = new AccountQueries({ view: () => ({ ...view, getMany }) } as unknown as ReadStore);
  const turns = { count: 0 };
  const slice = { isOver: true, next: async () => void turns.count++ };
  return { queries, sizes, turns, slice, ids: all.map(({ userId }) => userId), ofProject };
};

describe('whole users are read 25 at once, and parsed in turns,', () => {
  it('by id, in the order of the ids', async () => {
    const { queries, sizes, turns, slice, ids } = accounts();
    const wanted = [...ids, 'gone'].toReversed();
    expect((await queries.users(wanted, slice)).map((user) => user?.userId ?? 'gone')).toEqual(wanted);
    expect([sizes, turns.count]).toEqual([[25, 25, 11], 61]);
  });

  it('for a list', async () => {
    const { queries, sizes } = accounts();
    const { items, totalSize } = await queries.listUsers({ size: 50 });
    expect([items.map(({ userId }) => userId), totalSize]).toEqual([Array.from({ length: 50 }, (_, at) => `u${COUNT - 1 - at}`), COUNT]);
    expect(sizes).toEqual([25, 25]);
  });

  it('for names', async () => {
    const { queries, sizes, turns, slice, ids } = accounts();
    expect([...(await queries.namesOf([...ids, ...ids, 'gone'], slice))]).toEqual(ids.map((id) => [id, `n${id.slice(1)}`]));
    expect([sizes, turns.count]).toEqual([[25, 25, 11], 61]);
  });

  it('for the names of members, in order of creation', async () => {
    const { queries, sizes, slice, ofProject } = accounts();
    expect(await queries.members('p', slice)).toEqual(ofProject.map(({ userId, name }) => ({ userId, name })));
    expect(sizes).toEqual([25, 25, 5]);
  });

  it('for the ids of members with names', async () => {
    const { queries, sizes, turns, slice, ids } = accounts();
    const names = [...ids.map((id) => `n${id.slice(1)}`), 'nobody', 'n1'];
    const expected = [...ids.map((id, index) => (index % 10 === 0 ? undefined : id)), undefined, 'u1'];
    expect(await queries.membersNamed('p', names, slice)).toEqual(expected);
    expect([sizes, turns.count]).toEqual([[25, 25, 11], 61]);
  });
});
