import { beforeEach, describe, expect, it } from '@jest/globals';
import { CATALOGUE_PROJECTION, catalogueCollections as c } from '#projections/accounting/catalogue/catalogue-documents.js';
import { definitionCollections } from '#projections/accounting/definitions/definitions.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { memoryView } from '#test/support/memory-view.js';
import { CatalogueMemory } from './catalogue-memory.js';

const [ID, DEFINITION] = ['a'.repeat(24), 'd'.repeat(24)];

describe('the catalogue in memory', () => {
  let documents: Record<string, Record<string, string>>;
  let commits: Set<() => void>;
  let memory: CatalogueMemory;
  const put = (collection: string, key: string, value: unknown) => {
    documents[collection] = { ...documents[collection], [key]: JSON.stringify(value) };
  };
  beforeEach(() => {
    [documents, commits] = [{}, new Set()];
    const store: Pick<ReadStore, 'view' | 'onCommit'> = {
      view: () => memoryView(documents),
      onCommit: (projection, listener) => {
        const told = () => listener(1n, '');
        if (projection === CATALOGUE_PROJECTION) commits.add(told);
        return () => commits.delete(told);
      },
    };
    memory = new CatalogueMemory(store as ReadStore);
    put(c.projects, 'p', { id: 'p', generation: 1 });
    put(c.installations, ID, { id: ID, project: 'p', generation: 1 });
    put(c.installationsByExternalId, 'outside', ID);
    put(definitionCollections.definitions, DEFINITION, { creatorId: 'me' });
  });

  it('knows installations by their ids, and what they belong to', async () => {
    expect(await memory.installation(ID.toUpperCase())).toMatchObject({ id: ID });
    expect(await memory.installationByExternalId('outside')).toMatchObject({ id: ID });
    expect(await memory.project('p')).toMatchObject({ generation: 1 });
    expect(await memory.definition(DEFINITION)).toEqual({ creatorId: 'me' });
  });

  it('knows installations by their external ids where no other has such an id', async () => {
    expect(await memory.installation('outside')).toMatchObject({ id: ID });
    const other = 'b'.repeat(24);
    put(c.installationsByExternalId, other, ID);
    expect(await memory.installation(other)).toMatchObject({ id: ID });
    put(c.installations, other, { id: other, project: 'p', generation: 1 });
    expect(await memory.installation(other)).toMatchObject({ id: other });
    await expect(memory.findInstallation('outside')).resolves.toBeUndefined();
  });

  it('says 404 of what is not there, until it is', async () => {
    const other = 'b'.repeat(24);
    for (const missing of [
      () => memory.installation(other),
      () => memory.installation('no id'),
      () => memory.installationByExternalId('other'),
      () => memory.project('other'),
      () => memory.definition(other),
      () => memory.definition('no id'),
    ])
      await expect(missing()).rejects.toMatchObject({ statusCode: 404 });
    put(c.installations, other, { id: other, project: 'p', generation: 1 });
    expect(await memory.installation(other)).toMatchObject({ id: other });
  });

  it('forgets with every commit', async () => {
    await memory.installation(ID);
    put(c.projects, 'p', { id: 'p', generation: 2 });
    expect(await memory.installation(ID)).toMatchObject({ id: ID });
    for (const told of commits) told();
    await expect(memory.installation(ID)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('listens no more once the application is closed', () => {
    memory.onModuleDestroy();
    expect(commits.size).toBe(0);
  });
});
