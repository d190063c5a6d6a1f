import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { until } from '#test/support/eventually.js';
import { ownNamespace } from './own-namespace.js';

it('two that create a namespace by turns, each beginning anew what the other has begun, come to an end', async () => {
  const path = mkdtempSync(join(tmpdir(), 'logbook-own-'));
  const inner = await openDocumentStore({ path });
  let begun = 0;
  const store = {
    served: (name) => inner.served(name),
    prepare: async (name, version) => {
      const namespace = await inner.prepare(name, version);
      begun += 1;
      return namespace;
    },
    serve: async (namespace) => {
      await until(() => begun > 1); // by then the first one is gone
      await inner.serve(namespace);
    },
  } as Partial<ReadStore> as ReadStore;
  await Promise.all([ownNamespace(store, 'own'), ownNamespace(store, 'own')]);
  expect(begun).toBeGreaterThan(1);
  expect(await inner.served('own')).toMatchObject({ projection: 'own' });
  await inner.close();
  rmSync(path, { recursive: true });
});
