import { type TrafficRecorded, trafficStream } from '#domain/messaging/traffic/traffic.js';
import { dayOf } from '#domain/shared/time.js';
import { DocumentRefused, type ExportedDocument } from '../migration.js';
import { dateIn, type Fields, integerIn, nameIn, quietly, textIn } from '../read/fields.js';
import type { DocumentPlace } from '../report.js';
import type { WriteResult } from '../write/log-writer.js';
import { isEmptyStream } from '../write/target.js';
import { type KnownTopic, topicKey } from './directory.js';
import { takeDeletedTopic } from './resources.js';
import type { MessagingMigration, MessagingRow } from './row.js';

const NEVER = '1970-01-01T00:00:00.000Z';

/** True even for a topic with publishes but without counts: a publish failed, or its count is lost. */
const hasTraffic = ({ next, bytes, lastPublish }: KnownTopic): boolean => next > 0 || bytes > 0 || lastPublish !== null;

type Open = { readonly key: string; readonly topic: KnownTopic; readonly isPresent: boolean; days: Record<string, number> };

/** Combines the consecutive days of one topic into the first record of its traffic. */
class DailyCounts {
  private open: Open | undefined;
  private readonly done = new Set<string>();

  constructor(private readonly migration: MessagingMigration) {}

  async take({ fields, place }: ExportedDocument): Promise<WriteResult> {
    const projectId = this.migration.found.projectIn(fields);
    const name = nameIn(fields, 'topic_name');
    const date = dateIn(fields, 'date');
    if (date === undefined) throw new DocumentRefused('date is missing');
    const count = integerIn(fields, 'msg_count', 0);
    if (count < 0) throw new DocumentRefused('msg_count is negative');
    const open = await this.opened(projectId, name, date, place);
    const day = dayOf(date);
    if (count > 0) open.days[day] = (open.days[day] ?? 0) + count;
    return open.isPresent ? 'present' : 'written';
  }

  /** Writes the last topic, and topics without days. */
  async end(): Promise<void> {
    await this.close();
    for (const [key, topic] of this.migration.found.topics) if (!this.done.has(key) && hasTraffic(topic)) await this.record(topic, {});
  }

  private async opened(projectId: string, name: string, date: string, place: DocumentPlace): Promise<Open> {
    const key = topicKey(projectId, name);
    if (this.open?.key === key) return this.open;
    await this.close();
    const topic = this.migration.found.topics.get(key) ?? (await this.deleted(projectId, name, date, place));
    const isPresent = !(await isEmptyStream(this.migration.target, trafficStream(topic.id)));
    this.open = { key, topic, isPresent, days: {} };
    return this.open;
  }

  private async deleted(projectId: string, name: string, date: string, place: DocumentPlace): Promise<KnownTopic> {
    const id = await takeDeletedTopic(this.migration, projectId, name, date);
    this.migration.notePostdated(place, `the deleted topic ${name}`, date);
    await this.migration.writer.flush(); // the topic must be written before its traffic
    return { id, projectId, name, next: 0, messages: 0, bytes: 0, lastPublish: null };
  }

  private async close(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    if (!open) return;
    this.done.add(open.key);
    await this.record(open.topic, open.days);
  }

  private async record(topic: KnownTopic, days: Readonly<Record<string, number>>): Promise<void> {
    const { id: topicId, projectId, next, bytes, lastPublish } = topic;
    const data = { projectId, topicId, record: 1, totals: { messages: next, bytes, lastPublish, rate: 0 }, days };
    const event: TrafficRecorded = { type: 'TrafficRecorded', data };
    const origin = { collection: 'daily_topic_msg_count', id: topicId };
    await this.migration.writer.begin(origin, trafficStream(topicId), { event, time: lastPublish ?? NEVER });
  }
}

/** Days of one topic together. */
const byTopic = (fields: Fields): string => `${textIn(fields, 'project_uuid')}/${textIn(fields, 'topic_name')}`;

/** The published messages of each topic, by day and in total. */
export const trafficRow: MessagingRow = {
  collection: 'daily_topic_msg_count',
  take: (migration) => {
    const counts = new DailyCounts(migration);
    const sortedBy = (fields: Fields): string => quietly(() => byTopic(fields)) ?? ''; // refused when it is taken over
    return { each: (document) => counts.take(document), sortedBy, end: () => counts.end() };
  },
};
