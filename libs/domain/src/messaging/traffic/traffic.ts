import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';

/** What was ever published to a topic. `bytes` is of `data`; `lastPublish`: `YYYY-MM-DDTHH:MM:SS.sssZ`, `null` = never; `rate` as in messaging contract 4.10. */
export type TrafficTotals = Readonly<{ messages: number; bytes: number; lastPublish: string | null; rate: number }>;

type OfTopic = Readonly<{ projectId: string; topicId: string }>;

/**
 * Messages expire, but what was counted of them must not go with them. So the counts are recorded in time, as they were when this topic's
 * record before this one was made (at the place of that event in the log; of the first one: when the topic was created): of what came after
 * it, the messages themselves still tell. `record` numbers them from 1; `days`: how many messages each day had, of those that had any
 * between the two records before this one.
 */
export type TrafficRecorded = Readonly<{
  type: 'TrafficRecorded';
  data: OfTopic & Readonly<{ record: number; totals: TrafficTotals; days: Readonly<Record<Day, number>> }>;
}>;

/** The topic or its project was deleted, and the message log with it. */
export type TopicLogDiscarded = Readonly<{ type: 'TopicLogDiscarded'; data: OfTopic & Readonly<{ record: number }> }>;

export type TrafficEvent = TrafficRecorded | TopicLogDiscarded;
export type TrafficCommand =
  | Readonly<{ type: 'RecordTraffic' } & TrafficRecorded['data']>
  | Readonly<{ type: 'DiscardTopicLog' } & TopicLogDiscarded['data']>;

export const TRAFFIC_CATEGORY = 'messaging.traffic';
export const trafficStream = (topicId: string): string => `${TRAFFIC_CATEGORY}-${topicId}`;
export const trafficEvents: CatalogueOf<TrafficEvent> = { TrafficRecorded: { resource: none }, TopicLogDiscarded: { resource: none } };

/** State: the number of the last record, 0 before the first. A record that another node has made is not made again. */
export const traffic: Decider<number, TrafficCommand, TrafficEvent> = {
  window: 1,
  initialState: () => 0,
  decide: (command, last) => {
    const { projectId, topicId, record } = command;
    if (record !== last + 1) return [];
    switch (command.type) {
      case 'RecordTraffic':
        return [{ type: 'TrafficRecorded', data: { projectId, topicId, record, totals: command.totals, days: command.days } }];
      case 'DiscardTopicLog':
        return [{ type: 'TopicLogDiscarded', data: { projectId, topicId, record } }];
    }
  },
  evolve: (_last, { data }) => data.record,
};
