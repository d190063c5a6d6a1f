import { AccessQueries } from '#projections/accounting/access/queries.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import { CatalogueQueries } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries } from '#projections/accounting/definitions/queries.js';
import { MetricQueries } from '#projections/accounting/metrics/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { Migration } from '../migration.js';
import type { Row } from '../table.js';
import { KnownInstallations } from './known-installations.js';

export const findings = () => ({
  installations: new KnownInstallations(),
  /** Ids of clients, by `_id` in the original. */
  clients: new Map<string, string>(),
  /** Ids of the entitlements that have the name of another one, with the id of that one. */
  entitlements: new Map<string, string>(),
  /** External ids of the documents of providers. */
  externalIds: new Set<string>(),
});

export const queriesOf = (readStore: ReadStore) => ({
  access: new AccessQueries(readStore),
  capacities: new CapacityQueries(readStore),
  catalogue: new CatalogueQueries(readStore),
  definitions: new DefinitionQueries(readStore),
  lists: new CatalogueLists(readStore),
  metrics: new MetricQueries(readStore),
});

export type AccountingOptions = Readonly<{ database?: string }>;
export type AccountingMigration = Migration<AccountingOptions, ReturnType<typeof findings>>;
export type AccountingQueries = ReturnType<typeof queriesOf>;
export type AccountingRow = Row<AccountingMigration, AccountingQueries>;

/** A page of a list of which only the total counts. */
export const NOTHING = { offset: 0, size: 0 };
