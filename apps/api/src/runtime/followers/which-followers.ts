import { auditIndexFollower } from '#infra/engine/audit-index/audit-index-thread.js';
import type { FollowerContext, FollowerFactory, FollowerSettings } from '#infra/engine/followers/follower.js';
import { LeafFollower } from '#infra/engine/integrity/leaf-follower.js';

/** What runs beside the write path of a node. */
export const followersOf = ({ chain }: Pick<FollowerSettings, 'chain'>): readonly FollowerFactory[] => [
  ...(chain ? [(context: FollowerContext) => new LeafFollower(context)] : []),
  auditIndexFollower(),
];
