import type { Position } from '#domain/shared/events.js';
import type { Following } from '#infra/engine/followers/follow-log.js';
import type { Follower, FollowerFactory } from '#infra/engine/followers/follower.js';
import { followAuditIndex } from './audit-index-follower.js';
import { IndexFiles } from './index-files.js';
import { auditIndexPath } from './open-audit-index.js';

/** Name of the follower, in states and metrics. */
export const AUDIT_INDEX_FOLLOWER = 'audit-index';

/** The audit index, filled in a thread of followers. The main thread opens it with `follows: false`. */
export const auditIndexFollower =
  (): FollowerFactory =>
  ({ settings, events, log, report: reportState }): Follower => {
    const path = auditIndexPath(settings.dataDirectory);
    const report = (message: string, error?: unknown): void =>
      error === undefined ? log.info({ path }, message) : log.warn({ path, err: error }, message);
    let following: Following | undefined;
    reportState(AUDIT_INDEX_FOLLOWER, { state: 'catching-up', position: positionIn(path, report), failure: null });
    return {
      name: AUDIT_INDEX_FOLLOWER,
      start: () => {
        following = followAuditIndex({
          events,
          path,
          report,
          onProgress: ({ position, size, caughtUp }) => {
            const state = caughtUp ? 'live' : 'catching-up';
            reportState(AUDIT_INDEX_FOLLOWER, { state, position: BigInt(position), failure: null, facts: { size } });
          },
        });
      },
      stop: async () => following?.stop(),
    };
  };

const positionIn = (path: string, report: (message: string, error?: unknown) => void): Position => {
  const files = new IndexFiles(path, report);
  files.refresh();
  const { position } = files.tail.checkpoint;
  files.close();
  return BigInt(position);
};
