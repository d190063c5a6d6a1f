import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import { isMarkedLog } from '#infra/stores/log-identity/log-mark.js';
import { type Checkpoint, clearIndex, type IndexDatabases, noteDivergence, readCheckpoint, readDivergence } from './databases.js';
import { IndexWriter } from './index-writer.js';
import { IndexDiverged, Numbering } from './numbering.js';

export type AuditIndexFollowerOptions = Readonly<{
  /** The log, for reading. */
  events: Pick<EventStore, 'readStream' | 'subscribeAll' | 'end' | 'onInterruption'>;
  databases: IndexDatabases;
  /** Receives, as a sentence, why the index is built anew or waits. */
  report: (message: string, error?: unknown) => void;
  /** Called after each commit. */
  onProgress?: (progress: Checkpoint & Readonly<{ caughtUp: boolean }>) => void;
}>;

/** Fills the audit index from the log, from where it stopped, until it is stopped. One at a time for each index. */
export const followAuditIndex = (options: AuditIndexFollowerOptions): Following =>
  followLog({
    events: options.events,
    subscription: { maxBatch: PAGE_EVENTS },
    interruptedBy: 'reads',
    begin: () => begin(options),
    trouble: (error) => {
      if (!(error instanceof IndexDiverged)) options.report('the audit index cannot be kept up to date', error);
    },
  });

const begin = async ({ events, databases, report, onProgress }: AuditIndexFollowerOptions): Promise<Continuation> => {
  const clear = (why: string): Promise<void> => {
    report(`the audit index is built anew: ${why}`);
    return clearIndex(databases);
  };
  const { position, last } = readCheckpoint(databases);
  if (!(await isMarkedLog(events, last, BigInt(position)))) await clear('the log is another one than it was read from');
  const writer = new IndexWriter(databases);
  const numbering = new Numbering(events, writer);
  /** Once for each place: an index that does not fit a second time would never fit. It keeps what is before, and tries to go on from there. */
  const diverged = async ({ index, message: reason }: IndexDiverged): Promise<void> => {
    const known = readDivergence(databases);
    const again = known !== undefined && numbering.fitsUpTo < known.index;
    if (!again) await clear(reason);
    else if (!known.stopped) report(`the audit index was built anew and stops: ${reason}`, new IndexDiverged(index));
    await noteDivergence(databases, { index, reason, stopped: again });
  };
  const take = async (batch: EventBatch): Promise<void> => {
    try {
      await numbering.take(batch);
    } catch (error) {
      if (error instanceof IndexDiverged) await diverged(error);
      throw error;
    }
    const divergence = readDivergence(databases);
    if (divergence && numbering.fitsUpTo >= divergence.index) await noteDivergence(databases, undefined);
    onProgress?.({ ...writer.checkpoint, caughtUp: batch.caughtUp });
  };
  return { after: BigInt(writer.checkpoint.position), take };
};
