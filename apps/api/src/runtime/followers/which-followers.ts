import { auditIndexIn } from '#infra/engine/audit-index/open-audit-index.js';
import { followAuditIndex } from '#infra/engine/audit-index/writing/audit-index-follower.js';
import type { Following } from '#infra/engine/followers/follow-log.js';
import type { Follower, FollowerContext, FollowerFactory, FollowerSettings } from '#infra/engine/followers/follower.js';
import { LeafFollower } from '#infra/engine/integrity/leaf-follower.js';

const auditIndex = ({ settings, events, log }: FollowerContext): Follower => {
  let following: Following | undefined;
  return {
    name: 'audit-index',
    start: () => {
      following = followAuditIndex({ events, ...auditIndexIn(settings.dataDirectory, log) });
    },
    stop: async () => following?.stop(),
  };
};

/** Followers of a node in addition to the write path. */
export const followersOf = ({ chain }: Pick<FollowerSettings, 'chain'>): readonly FollowerFactory[] => [
  ...(chain ? [(context: FollowerContext) => new LeafFollower(context)] : []),
  auditIndex,
];
