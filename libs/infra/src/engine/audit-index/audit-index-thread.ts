import type { Following } from '#infra/engine/followers/follow-log.js';
import type { Follower, FollowerFactory } from '#infra/engine/followers/follower.js';
import { followAuditIndex } from './audit-index-follower.js';
import { openIndexDatabases, readCheckpoint } from './databases.js';
import { auditIndexPath } from './open-audit-index.js';

/** Name of the follower, in states and metrics. */
export const AUDIT_INDEX_FOLLOWER = 'audit-index';

/** The audit index, filled in a thread of followers. The main thread opens it with `follows: false`. */
export const auditIndexFollower =
  (): FollowerFactory =>
  ({ settings, events, log, report }): Follower => {
    const path = auditIndexPath(settings.dataDirectory);
    const databases = openIndexDatabases(path, (message) => log.warn({ path }, message));
    let following: Following | undefined;
    report(AUDIT_INDEX_FOLLOWER, { state: 'catching-up', position: BigInt(readCheckpoint(databases).position), failure: null });
    return {
      name: AUDIT_INDEX_FOLLOWER,
      start: () => {
        following = followAuditIndex({
          events,
          databases,
          report: (message, error) => (error === undefined ? log.info({ path }, message) : log.warn({ path, err: error }, message)),
          onProgress: ({ position, size, caughtUp }) => {
            const state = caughtUp ? 'live' : 'catching-up';
            report(AUDIT_INDEX_FOLLOWER, { state, position: BigInt(position), failure: null, facts: { size } });
          },
        });
      },
      stop: async () => {
        await following?.stop();
        await databases.environment.close();
      },
    };
  };
