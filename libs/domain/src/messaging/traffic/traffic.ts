import type { CatalogueOf } from '#domain/shared/catalogue.js';
import type { Decider } from '#domain/shared/decider.js';
import { none } from '#domain/shared/resource-change.js';
import type { Day } from '#domain/shared/time.js';

/**
 * Totals of all messages ever published to a topic. `bytes`: bytes of `data`. `lastPublish`: `YYYY-MM-DDTHH:MM:SS.sssZ`, `null` = never. `rate`: as
 * in messaging contract 4.10.
 */
export type TrafficTotals = Readonly<{ messages: number; bytes: number; lastPublish: string | null; rate: number }>;

type OfTopic = Readonly<{ projectId: string; topicId: string }>;

/**
 * Preserves counts of messages that will expire. `totals`: those at the position of the topic's previous record in the log (for the first record: at
 * the creation of the topic). Later messages are still in the log and can be counted. `record`: number of the record, from 1. `days`: total messages
 * per day, for days with messages between the two previous records.
 */
export type TrafficRecorded = Readonly<{
  type: 'TrafficRecorded';
  data: OfTopic & Readonly<{ record: number; totals: TrafficTotals; days: Readonly<Record<Day, number>> }>;
}>;

/** The topic or its project was deleted, together with the message log. */
export type TopicLogDiscarded = Readonly<{ type: 'TopicLogDiscarded'; data: OfTopic & Readonly<{ record: number }> }>;

export type TrafficEvent = TrafficRecorded | TopicLogDiscarded;
export type TrafficCommand =
  | Readonly<{ type: 'RecordTraffic' } & TrafficRecorded['data']>
  | Readonly<{ type: 'DiscardTopicLog' } & TopicLogDiscarded['data']>;

export const TRAFFIC_CATEGORY = 'messaging.traffic';
export const trafficStream = (topicId: string): string => `${TRAFFIC_CATEGORY}-${topicId}`;
export const trafficEvents: CatalogueOf<TrafficEvent> = { TrafficRecorded: { resource: none }, TopicLogDiscarded: { resource: none } };

/** State: number of the last record, 0 before the first. A record that another node has already made is not repeated. */
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
