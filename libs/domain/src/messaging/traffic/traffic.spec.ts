import { it } from '@jest/globals';
import { deciderSpec } from '#test/support/decider-spec.js';
import { type TrafficCommand, type TrafficEvent, traffic } from './traffic.js';

const topic = { projectId: 'p', topicId: 't' };
const totals = { messages: 3, bytes: 12, lastPublish: '2024-01-02T03:04:05.678Z', rate: 1.5 };
const record = (number: number) => ({ ...topic, record: number, totals, days: { '2024-01-02': 3 } });
const recorded = (number: number): TrafficEvent => ({ type: 'TrafficRecorded', data: record(number) });
const given = deciderSpec(traffic);
const toRecord = (number: number): TrafficCommand => ({ type: 'RecordTraffic', ...record(number) });

it('traffic is recorded, record by record', () => {
  given().when(toRecord(1)).then(recorded(1));
  given(recorded(1)).when(toRecord(2)).then(recorded(2));
});

it.each([1, 2, 4])('record %i is not made after the second: another node was faster, or knows more', (number) =>
  given(recorded(1), recorded(2)).when(toRecord(number)).then(),
);

it('the log of a topic is discarded once', () => {
  const discarded: TrafficEvent = { type: 'TopicLogDiscarded', data: { ...topic, record: 2 } };
  const discard: TrafficCommand = { type: 'DiscardTopicLog', ...topic, record: 2 };
  given(recorded(1)).when(discard).then(discarded);
  given(recorded(1), discarded).when(discard).then();
});
