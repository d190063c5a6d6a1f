import type { FollowerFactory } from '#infra/followers/follower.js';
import { HistoryFollower } from '#infra/history/history-follower.js';

/** What runs beside the write path. */
export const FOLLOWERS: readonly FollowerFactory[] = [(context) => new HistoryFollower(context)];
