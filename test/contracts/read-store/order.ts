import { expect, it } from '@jest/globals';
import { COLLECTION, keysOf, PROJECTION, put, serveDocuments, type UsedReadStore } from './fixture.js';
import { byBytes } from './model.js';

export const orderContract = (harness: UsedReadStore): void => {
  it('sorts by the bytes of UTF-8, not by UTF-16 units', async () => {
    const { store } = harness();
    const keys = [
      '\u0000',
      '\u0000\u0000',
      '\u0000a',
      '\u0001',
      '\t',
      '\n',
      ' ',
      '0',
      'A',
      'a',
      'a\u0000',
      'a\u0000b',
      'a\u0001',
      'a/',
      'a/b',
      'aa',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😀a',
      '\u{10ffff}',
      '\u{10ffff}\u{10ffff}',
    ];
    await serveDocuments(
      store,
      [...keys].reverse().map((at) => put(at, at)),
    );
    const view = store.view(PROJECTION);
    expect(await keysOf(view)).toEqual([...keys].sort(byBytes));
    expect(await keysOf(view)).toEqual(keys);
    expect(await keysOf(view, { reverse: true })).toEqual([...keys].reverse());
    expect(await keysOf(view, { gt: '\uffff', lt: '\u{10ffff}' })).toEqual(['😀', '😀a']);
    expect(await keysOf(view, { gte: 'a', lt: 'a/' })).toEqual(['a', 'a\u0000', 'a\u0000b', 'a\u0001']);
    for (const at of keys) expect((await view.get(COLLECTION, at))?.toString()).toBe(at);
  });
};
