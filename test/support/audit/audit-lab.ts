import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isChained } from '#domain/integrity/chained.js';
import { LEAVES_STREAM, type LeafPlace } from '#domain/integrity/integrity-events.js';
import { leafOf } from '#domain/integrity/leaf.js';
import { nextEventId } from '#domain/shared/event-ids.js';
import type { Actor, EventMetadata, JsonObject, NewEvent, RecordedEvent, ServiceName } from '#domain/shared/events.js';
import { eventLine } from '#infra/edges/copies/export-lines.js';
import { StreamWriter } from '#infra/edges/copies/stream-writer.js';
import { type AuditEvents, type AuditIndexDependencies, openAuditIndex } from '#infra/engine/audit-index/open-audit-index.js';
import { createLogger } from '#infra/platform/logging/logger.js';
import { type EmbeddedEventStore, openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { temporaryDirectory } from '#test/support/event-stores/embedded-log.js';
import { LONGEST_MS } from '#test/support/eventually.js';

export type Happening = Readonly<{
  stream: string;
  type: string;
  actor: Actor;
  service: ServiceName;
  request: string;
  correlation: string;
  /** Default: the request. */
  causation?: string;
  /** Milliseconds since 1970-01-01 UTC. */
  time: number;
  data?: JsonObject;
}>;

/** An embedded log and audit indexes of it, without a chain: its leaves are written by `chain`. */
export class AuditLab {
  private readonly directory = temporaryDirectory();
  readonly log: EmbeddedEventStore = openEmbeddedEventStore({ path: join(this.directory.path, 'log') });
  private readonly opened: AuditEvents[] = [];
  private chained: RecordedEvent[] = [];

  /** Data directory of an index. */
  pathOf(name: string): string {
    return join(this.directory.path, name);
  }

  /** Opens the index in a directory of its own unless one is named that was used before. */
  open(name: string = randomUUID(), options: Partial<AuditIndexDependencies> = {}): AuditEvents {
    const audit = openAuditIndex({
      dataDirectory: this.pathOf(name),
      events: this.log,
      codec: { readable: async ({ data }) => data },
      chain: () => ({ leafAt: async (index) => leafOf(this.chained[index] as RecordedEvent) }),
      log: createLogger('silent'),
      sizes: { events: 5, merged: 3 }, // small, so that there are pieces and merges in every test
      ...options,
    });
    audit.start();
    this.opened.push(audit);
    return audit;
  }

  /** Opens an index and waits until it has all. */
  async indexed(name?: string): Promise<AuditEvents> {
    const audit = this.open(name);
    await this.caughtUp(audit);
    return audit;
  }

  async caughtUp({ index }: AuditEvents): Promise<void> {
    if (!(await index.reached(await this.log.head(), LONGEST_MS))) throw new Error('the index does not reach the head of the log');
  }

  async append(...happenings: readonly Happening[]): Promise<void> {
    for (const happening of happenings) await this.log.append(happening.stream, [newEvent(happening)], 'any');
  }

  /** Appends events of one stream at once: they leave the log together. */
  async appendTogether(happenings: readonly [Happening, ...Happening[]]): Promise<void> {
    await this.log.append(happenings[0].stream, happenings.map(newEvent), 'any');
  }

  /** Appends events of one stream as a command does. */
  async appendCommand(happenings: readonly [Happening, ...Happening[]]): Promise<void> {
    let id = randomUUID() as string;
    const events = happenings.map((happening) => {
      const event = { ...newEvent(happening), id };
      id = nextEventId(id);
      return event;
    });
    await this.log.append(happenings[0].stream, events, 'any');
  }

  /** All chained events that are in the log. */
  async events(): Promise<readonly RecordedEvent[]> {
    return (await this.everything()).filter(({ stream }) => isChained(stream));
  }

  /** A new log with what this one still has, as an import writes it. */
  async imported(): Promise<AuditLab> {
    const copy = new AuditLab();
    const writer = new StreamWriter(copy.log);
    for (const [line, event] of (await this.everything()).entries())
      await writer.write(eventLine(event, null), { number: line, text: JSON.stringify(event.data) });
    await writer.settle();
    copy.chained = this.chained;
    return copy;
  }

  private async everything(): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for (let after = 0n; ; ) {
      const page = await this.log.readAll({ after, limit: 1_000 });
      events.push(...page.events);
      if (page.caughtUp) return events;
      after = page.position;
    }
  }

  /** Chains what is in the log, as the chain's follower does: so many leaves in an event. Only the first call may come after an expiry. */
  async chain(leavesPerEvent = 7): Promise<void> {
    const known = new Set(this.chained.map(({ id }) => id));
    const fresh = (await this.events()).filter(({ id }) => !known.has(id));
    for (let at = 0; at < fresh.length; at += leavesPerEvent) await this.chainSome(fresh.slice(at, at + leavesPerEvent));
  }

  /** Makes events of a stream disappear for good. */
  async expire(stream: string, before: bigint): Promise<void> {
    await this.log.truncate(stream, before);
    await this.log.sweep();
  }

  async close(): Promise<void> {
    for (const audit of this.opened) await audit.close();
    await this.log.close();
    this.directory.remove();
  }

  /** Leaves that no chain has written: of one event at a place of its own. */
  async appendLeaves({ from, place }: Readonly<{ from: number; place: LeafPlace }>): Promise<void> {
    const { stream, revision } = place;
    const data = { from, count: 1, leaves: '', streams: [stream], runs: [0, revision, 1], time: '2024-01-01T00:00:00.000Z', frontier: '' };
    await this.log.append(LEAVES_STREAM, [newEvent({ ...SYSTEM, stream: LEAVES_STREAM, type: 'LeavesChained', data })], 'any');
  }

  private async chainSome(events: readonly RecordedEvent[]): Promise<void> {
    const streams = [...new Set(events.map(({ stream }) => stream))];
    const data = {
      from: this.chained.length,
      count: events.length,
      leaves: Buffer.concat(events.map(leafOf)).toString('base64'),
      streams,
      runs: events.flatMap(({ stream, revision }) => [streams.indexOf(stream), Number(revision), 1]),
      time:
        [...this.chained, ...events]
          .map(({ metadata }) => metadata.time)
          .sort()
          .at(-1) ?? '',
      frontier: '',
    };
    this.chained = [...this.chained, ...events];
    await this.log.append(LEAVES_STREAM, [newEvent({ ...SYSTEM, stream: LEAVES_STREAM, type: 'LeavesChained', data })], 'any');
  }
}

const SYSTEM = { actor: { kind: 'system', id: 'chain' }, service: 'ops', request: 'r', correlation: 'c', time: 0 } as const;

const newEvent = ({ type, actor, service, request, correlation, causation = request, time, data = {} }: Happening): NewEvent => {
  const metadata: EventMetadata = {
    time: new Date(time).toISOString(),
    actor,
    service,
    requestId: request,
    correlationId: correlation,
    causationId: causation,
    schemaVersion: 1,
  };
  return { id: randomUUID(), type, data, metadata };
};
