import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { CachedCatalogue } from './cached-catalogue.js';

const ID = 'a'.repeat(24);

describe('the cached catalogue', () => {
  let documents: Record<string, Record<string, string>>;
  let commits: Set<() => void>;
  let catalogue: CachedCatalogue;
  const put = (collection: string, key: string, value: unknown) => {
    documents[collection] = { ...documents[collection], [key]: JSON.stringify(value) };
  };
  beforeEach(() => {
    [documents, commits] = [{}, new Set()];
    const store: Pick<ReadStore, 'view' | 'onCommit'> = {
      view: () => memoryView(documents),
      onCommit: (_readModel, listener) => {
        const notify = () => listener(1n, '');
        commits.add(notify);
        return () => commits.delete(notify);
      },
    };
    catalogue = new CachedCatalogue(store as ReadStore);
    put('projects', 'p', { id: 'p', generation: 1 });
    put('installations', ID, { id: ID, project: 'p', generation: 1 });
    put('installations.by-external-id', 'outside', ID);
  });

  it('finds installations by their ids, and the projects they belong to', async () => {
    expect(await catalogue.installation(ID.toUpperCase())).toMatchObject({ id: ID });
    expect(await catalogue.installationByExternalId('outside')).toMatchObject({ id: ID });
    expect(await catalogue.project('p')).toMatchObject({ generation: 1 });
  });

  it('finds installations by their external ids where no other has such an id', async () => {
    expect(await catalogue.installation('outside')).toMatchObject({ id: ID });
    const other = 'b'.repeat(24);
    put('installations.by-external-id', other, ID);
    expect(await catalogue.installation(other)).toMatchObject({ id: ID });
    put('installations', other, { id: other, project: 'p', generation: 1 });
    for (const notify of commits) notify();
    expect(await catalogue.installation(other)).toMatchObject({ id: other });
    await expect(catalogue.installationById('outside')).resolves.toBeUndefined();
  });

  it('finds nothing for what is not there, until it is', async () => {
    const other = 'b'.repeat(24);
    for (const missing of [
      catalogue.installation(other),
      catalogue.installation('no id'),
      catalogue.installationByExternalId('other'),
      catalogue.project('other'),
    ])
      await expect(missing).resolves.toBeUndefined();
    put('installations', other, { id: other, project: 'p', generation: 1 });
    expect(await catalogue.installation(other)).toMatchObject({ id: other });
  });

  it('reads again after every commit, and not before', async () => {
    await catalogue.installation(ID);
    put('projects', 'p', { id: 'p', generation: 2 });
    expect(await catalogue.installation(ID)).toMatchObject({ id: ID });
    for (const notify of commits) notify();
    await expect(catalogue.installation(ID)).resolves.toBeUndefined();
  });

  it('stops listening once the application is closed', () => {
    expect(commits.size).toBeGreaterThan(0);
    catalogue.onModuleDestroy();
    expect(commits.size).toBe(0);
  });
});
