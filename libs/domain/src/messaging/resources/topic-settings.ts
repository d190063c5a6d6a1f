import type { Labels } from './labels.js';

/** What a topic may be given beside its schema (messaging contract 7.4). Members that were not given are left out. */
export type TopicSettings = Readonly<{
  /** How long messages are kept, in seconds. Left out: as long as the service keeps them. */
  messageRetentionSeconds?: number;
  labels?: Labels;
}>;

/** Settings to change; `null`: back to what holds where nothing was given. */
export type TopicChanges = Readonly<{ [Member in keyof TopicSettings]: NonNullable<TopicSettings[Member]> | null }>;

/** The settings after a change; their members are always in the same order. */
export const changedSettings = (before: TopicSettings, changes: TopicChanges): TopicSettings => {
  const { messageRetentionSeconds, labels } = { ...before, ...changes };
  return {
    ...(typeof messageRetentionSeconds === 'number' ? { messageRetentionSeconds } : {}),
    ...(labels ? { labels } : {}),
  };
};
