import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Following } from '#infra/engine/followers/follow-log.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import type { Chain } from '#infra/engine/integrity/chain.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';
import type { EventCodec } from '#infra/stores/event-codec/event-codec.js';
import { AuditIndex } from './audit-index.js';
import { CountedEvents } from './counted-events.js';
import { EventPages } from './event-pages.js';
import { EventViews } from './event-views.js';
import { ExpiredEvents } from './expired-events.js';
import { FollowedIndexFiles } from './index-files.js';
import { type AuditIndexFollowerOptions, followAuditIndex } from './writing/audit-index-follower.js';
import type { PieceSizes } from './writing/index-writer.js';

export type AuditIndexDependencies = Readonly<{
  dataDirectory: string;
  events: EventStore;
  codec: Pick<EventCodec, 'readable'>;
  chain: () => Pick<Chain, 'leafAt'>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Default: those of the writer. */
  sizes?: PieceSizes;
}>;

/** The audit index of a process and its readers. */
export type AuditEvents = Readonly<{
  index: AuditIndex;
  pages: EventPages;
  /** Data of an event as auditors see them. */
  readable: EventCodec['readable'];
  /** Bytes of events in memory, over all callers. */
  room: Pick<MemoryBudget, 'within'>;
  counted: CountedEvents;
  /** Follows the log in this thread. For processes without a thread of followers. */
  start(): void;
  /**
   * Fills the index up to a position, or until it stops. For logs that no server follows at the moment. @throws Error the log cannot be read to there
   */
  catchUp(position: Position): Promise<void>;
  close(): Promise<void>;
}>;

/** Bytes of events that audit calls may hold in memory at a time, apart from one very large event. */
const ROOM_BYTES = 32 * 1024 * 1024;

/** Failures without progress after which an index at rest is not filled any further. */
const MOST_FAILURES = 5;
const LOOK_MS = 1_000;

/** Location and dependencies of a node's index. */
export const auditIndexIn = (
  dataDirectory: string,
  log: Pick<Logger, 'info' | 'warn'>,
): Pick<AuditIndexFollowerOptions, 'path' | 'report'> => {
  const path = join(dataDirectory, 'audit', 'index');
  return {
    path,
    report: (message, error) => (error === undefined ? log.info({ path }, message) : log.warn({ path, err: error }, message)),
  };
};

/** Creates no files; the follower does. */
export const openAuditIndex = (dependencies: AuditIndexDependencies): AuditEvents => {
  const { dataDirectory, events, codec, chain, log, sizes } = dependencies;
  const { path, report } = auditIndexIn(dataDirectory, log);
  const files = new FollowedIndexFiles(path, report);
  const index = new AuditIndex(files);
  const views = new EventViews(codec, index, (leaf) => chain().leafAt(leaf));
  const room = new MemoryBudget(ROOM_BYTES);
  const pages = new EventPages({ events, index, views, room });
  let following: Following | undefined;
  let failures = 0;
  let failure: unknown;
  const failed = (error: unknown): void => {
    [failures, failure] = [failures + 1, error];
  };
  const start = (): void => {
    following ??= followAuditIndex({ events: new SharedLog(events), path, report, failed, sizes });
  };
  return {
    index,
    pages,
    readable: (event, shown) => codec.readable(event, shown),
    room,
    counted: new CountedEvents(index, new ExpiredEvents(index, events), events),
    start,
    catchUp: async (position) => {
      if (await index.reached(position, 0)) return;
      start();
      let before = BigInt(index.checkpoint().position);
      while (!(await index.reached(position, LOOK_MS)) && index.stopped() === null) {
        const now = BigInt(index.checkpoint().position);
        if (now > before) failures = 0;
        if (failures >= MOST_FAILURES) throw failure;
        before = now;
      }
    },
    close: async () => {
      await following?.stop();
      files.close();
    },
  };
};
