import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ownNamespace } from './own-namespace.js';

it('two that create a namespace by turns, each beginning anew what the other has begun, come to an end', async () => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-own-'));
  const inner = await openDocumentStore({ path });
  const store = {
    served: (name) => inner.served(name),
    prepare: (name, version) => inner.prepare(name, version),
    serve: async (namespace) => {
      await sleep(20);
      await inner.serve(namespace);
    },
  } as Partial<ReadStore> as ReadStore;
  const first = ownNamespace(store, 'own');
  await sleep(10);
  await Promise.all([first, ownNamespace(store, 'own')]);
  expect(await inner.served('own')).toMatchObject({ projection: 'own' });
  await inner.close();
  rmSync(path, { recursive: true });
});
