import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { ReadModelsUnavailable } from '#projections/shared/read-store.js';
import { ExternalProviderCatalogue } from './external-provider-catalogue.js';
import type { ImportProviders } from './provider-commands.js';

it('the catalogue is imported where its read model cannot answer yet', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'catalogue-'));
  const source = join(directory, 'providers.json');
  writeFileSync(source, JSON.stringify([{ id: 'one', name: 'One' }]));
  const imported: unknown[] = [];
  const bus = { execute: async ({ data }: ImportProviders) => void imported.push(data) } as unknown as CommandBus;
  const queries = {
    providers: async () => {
      throw new ReadModelsUnavailable('withheld');
    },
  } as unknown as CatalogueQueries;
  const warned: unknown[] = [];
  const logger = { warn: (facts: unknown) => void warned.push(facts) } as unknown as Logger;
  const catalogue = new ExternalProviderCatalogue({ source, intervalSeconds: 3_600, bus, queries, clock: Date.now, logger });
  try {
    await catalogue.start();
    expect(imported).toEqual([{ providers: [expect.objectContaining({ providerId: 'one', name: 'One' })] }]);
    expect(catalogue.health).toMatchObject({ status: 'up', entries: 1 });
    expect(warned).toEqual([{ err: expect.any(ReadModelsUnavailable) }]);
  } finally {
    catalogue.onModuleDestroy();
    rmSync(directory, { recursive: true });
  }
});
