import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadStore, ReadView } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { CachedDefinitions } from './cached-definitions.js';

const ID = 'd'.repeat(24);

describe('Cached definitions', () => {
  let texts: Record<string, string>;
  let reads: number;
  let commit: () => void;
  let definitions: CachedDefinitions;
  beforeEach(() => {
    [texts, reads] = [{ [ID]: '{"creatorId":"me"}' }, 0];
    const view = (): ReadView => {
      const get: ReadView['get'] = (collection, key) => {
        reads += 1;
        return memoryView({ definitions: texts }).get(collection, key);
      };
      return { ...memoryView({}), get };
    };
    const store: Pick<ReadStore, 'view' | 'onCommit'> = {
      view,
      onCommit: (_readModel, listener) => {
        commit = () => listener(1n, '');
        return () => undefined;
      },
    };
    definitions = new CachedDefinitions(store as ReadStore);
  });
  afterEach(() => definitions.onModuleDestroy());

  it('are read once until the read model changes', async () => {
    expect(await definitions.definition(ID)).toEqual({ creatorId: 'me' });
    expect(await definitions.definition(ID)).toEqual({ creatorId: 'me' });
    expect(reads).toBe(1);
    texts = { [ID]: '{"creatorId":"you"}' };
    commit();
    expect(await definitions.definition(ID)).toEqual({ creatorId: 'you' });
  });

  it('are found however their ids are spelled', async () =>
    expect(await definitions.definition(ID.toUpperCase())).toEqual({ creatorId: 'me' }));

  it('are looked for every time if they are not there', async () => {
    const other = 'e'.repeat(24);
    expect(await definitions.definition(other)).toBeUndefined();
    expect(await definitions.definition('no id')).toBeUndefined();
    texts = { [other]: '{"creatorId":"you"}' };
    expect(await definitions.definition(other)).toEqual({ creatorId: 'you' });
  });
});
