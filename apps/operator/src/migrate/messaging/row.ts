import { AccountQueries } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries } from '#projections/messaging/resources/queries.js';
import { SchemaQueries } from '#projections/messaging/resources/schema-queries.js';
import { OffsetQueries, TrafficQueries } from '#projections/messaging/traffic/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type Migration, madeAt, type TakeDocument } from '../migration.js';
import type { Fields } from '../read/fields.js';
import type { Row } from '../table.js';
import type { Directory } from './directory.js';

export const queriesOf = (readStore: ReadStore) => ({
  accounts: new AccountQueries(readStore),
  offsets: new OffsetQueries(readStore),
  resources: new ResourceQueries(readStore),
  schemas: new SchemaQueries(readStore),
  traffic: new TrafficQueries(readStore),
});

export type MessagingOptions = Readonly<{ database?: string; topicOffsets?: string; dropWaiting?: boolean; pushWorker?: string }>;
export type MessagingMigration = Migration<MessagingOptions, Directory>;
export type MessagingQueries = ReturnType<typeof queriesOf>;
export type MessagingRow = Row<MessagingMigration, MessagingQueries>;

export const createdAt = (fields: Fields): string => madeAt(fields, 'created_on');

/** Sorts like lists of the original, by its ids. */
export const byId = ({ _id }: Fields): string => String(_id);

/** Takes documents over in the order of the original's lists. */
export const byIds =
  (take: (migration: MessagingMigration) => TakeDocument): MessagingRow['take'] =>
  (migration) => ({ each: take(migration), sortedBy: byId });
