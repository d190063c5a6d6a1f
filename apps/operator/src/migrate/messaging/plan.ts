import { filesOfDatabase } from '../read/exported-files.js';
import { type MigrationPlan, noteUntaken, onlyDatabase } from '../table.js';
import { accountRows } from './accounts.js';
import { Directory } from './directory.js';
import { resourceRows } from './resources.js';
import { type MessagingMigration, type MessagingOptions, type MessagingQueries, queriesOf } from './row.js';
import { readOffsets, subscriptionRow } from './subscriptions.js';
import { readTopicOffsets } from './topic-offsets.js';
import { trafficRow } from './traffic.js';

const NOT_TAKEN: Readonly<Record<string, string>> = {
  roles: 'roles is not taken: who may call which route is fixed in Logbook, as in the table that comes with the original',
};

const begin = async (migration: MessagingMigration): Promise<void> => {
  const { report, found, options } = migration;
  noteUntaken(migration, NOT_TAKEN);
  found.offsets = options.topicOffsets === undefined ? undefined : await readTopicOffsets(options.topicOffsets);
  if (!found.offsets)
    report.note(
      'without --topic-offsets topics go on at the largest offset that the export names: what it does not know of is not counted',
    );
};

const laterRows = [...resourceRows, trafficRow, subscriptionRow];
const COLLECTIONS = [...accountRows, ...laterRows].map(({ collection }) => collection);

export const messagingPlan: MigrationPlan<MessagingOptions, Directory, MessagingQueries> = {
  service: 'messaging',
  select: (files, { database }) => filesOfDatabase(files, COLLECTIONS, database),
  findings: () => new Directory(),
  queries: queriesOf,
  parts: [
    { begin, scopes: onlyDatabase, rows: accountRows },
    { begin: readOffsets, scopes: onlyDatabase, rows: laterRows },
  ],
};
