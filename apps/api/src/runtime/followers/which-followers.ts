import { auditIndexFollower } from '#infra/engine/audit-index/audit-index-thread.js';
import type { FollowerContext, FollowerFactory, FollowerSettings } from '#infra/engine/followers/follower.js';
import { HistoryFollower } from '#infra/engine/history/history-follower.js';
import { LeafFollower } from '#infra/engine/integrity/leaf-follower.js';

/** What runs beside the write path of a node. */
export const followersOf = ({ chain, history }: Pick<FollowerSettings, 'chain' | 'history'>): readonly FollowerFactory[] => [
  ...(history ? [(context: FollowerContext) => new HistoryFollower(context)] : []),
  ...(chain ? [(context: FollowerContext) => new LeafFollower(context)] : []),
  auditIndexFollower(),
];
