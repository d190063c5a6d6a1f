import type { Labels } from './labels.js';

/** Settings of a topic besides its schema (messaging contract 7.4). Members that were not given are absent. */
export type TopicSettings = Readonly<{
  /** Retention of messages in seconds. Absent: that of the service. */
  messageRetentionSeconds?: number;
  labels?: Labels;
}>;

/** Settings to change. `null`: resets a setting to its default. */
export type TopicChanges = Readonly<{ [Member in keyof TopicSettings]: NonNullable<TopicSettings[Member]> | null }>;

/** The settings after a change, with members in a fixed order. */
export const changedSettings = (before: TopicSettings, changes: TopicChanges): TopicSettings => {
  const { messageRetentionSeconds, labels } = { ...before, ...changes };
  return {
    ...(typeof messageRetentionSeconds === 'number' ? { messageRetentionSeconds } : {}),
    ...(labels ? { labels } : {}),
  };
};
