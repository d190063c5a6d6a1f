import type { MigrationPlan } from '../plan.js';
import { filesOfDatabase } from '../read/exported-files.js';
import { takeAccounts } from './accounts.js';
import { Directory } from './directory.js';
import { takeTopics } from './resources.js';
import { type MessagingOptions, readOffsets, takeSubscriptions } from './subscriptions.js';
import { TopicOffsets } from './topic-offsets.js';
import { takeTraffic } from './traffic.js';
import { verifyMessaging } from './verify.js';

const TAKEN = ['projects', 'users', 'user_registrations', 'schemas', 'topics', 'daily_topic_msg_count', 'subscriptions'];
const NOT_TAKEN: Readonly<Record<string, string>> = {
  roles: 'roles is not taken: who may call which route is fixed in Logbook, as in the table that comes with the original',
};

/** One run; its findings are available to its verification. */
export const messagingPlan = (): MigrationPlan<MessagingOptions> => {
  const directory = new Directory();
  return {
    service: 'messaging',
    select: (files, { database }) => filesOfDatabase(files, TAKEN, database),
    readings: ({ collection }) => (collection === 'subscriptions' ? 2 : TAKEN.includes(collection) ? 1 : 0),
    findings: () => undefined,
    uncompared: ['daily_topic_msg_count'],
    run: async (migration) => {
      const { report, files, options } = migration;
      for (const { collection } of files) if (NOT_TAKEN[collection] !== undefined) report.note(NOT_TAKEN[collection]);
      directory.pushWorker = options.pushWorker;
      const offsets = await TopicOffsets.read(options.topicOffsets);
      if (!offsets.areKnown)
        report.note(
          'without --topic-offsets topics go on at the largest offset that the export names: what it does not know of is not counted',
        );
      await takeAccounts(migration, directory);
      await readOffsets(migration, directory);
      await takeTopics(migration, directory, offsets);
      await takeTraffic(migration, directory);
      await takeSubscriptions(migration, directory);
    },
    verify: (verification) => verifyMessaging(verification, directory),
  };
};
