import type { Plan } from '../plan.js';
import { filesOfDatabase } from '../read/exported-files.js';

const TAKEN = ['projects', 'users', 'user_registrations', 'schemas', 'topics', 'daily_topic_msg_count', 'subscriptions'];

export const messagingPlan = (): Plan<{ database?: string }> => ({
  service: 'messaging',
  select: (files, { database }) => filesOfDatabase(files, TAKEN, database),
  run: async () => {},
  verify: async () => {},
});
