import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import { isMarkedLog } from '#infra/stores/log-identity/log-mark.js';
import type { Checkpoint } from './checkpoint.js';
import { IndexWriter, type PieceSizes } from './index-writer.js';
import { IndexDiverged, Numbering } from './numbering.js';

export type AuditIndexFollowerOptions = Readonly<{
  /** The log, for reading. */
  events: Pick<EventStore, 'readStream' | 'subscribeAll' | 'end' | 'onInterruption'>;
  /** Directory of the index. */
  path: string;
  /** Receives, as a sentence, why the index is built anew or waits. */
  report: (message: string, error?: unknown) => void;
  /** Default: those of {@link IndexWriter}. */
  sizes?: PieceSizes | undefined;
}>;

/** Between looks whether a reader has set the index aside. */
const LOOK_MS = 1_000;

/** Fills the audit index from the log, from where it stopped, until it is stopped. One at a time for each index. */
export const followAuditIndex = (options: AuditIndexFollowerOptions): Following => {
  const { events, report } = options;
  let writer: IndexWriter | undefined;
  const following = followLog({
    events: {
      subscribeAll: (subscription) => events.subscribeAll(subscription),
      onInterruption: (listener, calls) => {
        const looking = setInterval(() => writer?.isCurrent === false && listener(), LOOK_MS).unref();
        const release = events.onInterruption(listener, calls);
        return () => {
          clearInterval(looking);
          release();
        };
      },
    },
    subscription: { maxBatch: PAGE_EVENTS },
    interruptedBy: 'reads',
    begin: async () => {
      await writer?.close();
      writer = undefined;
      writer = await openWriter(options);
      return continueWith(writer, options);
    },
    trouble: (error) => {
      if (!(error instanceof IndexDiverged)) report('the audit index cannot be kept up to date', error);
    },
  });
  return {
    stop: async () => {
      await following.stop();
      await writer?.close();
      writer = undefined;
    },
  };
};

const openWriter = ({ events, path, report, sizes }: AuditIndexFollowerOptions): Promise<IndexWriter> => {
  const fits = async ({ position, last }: Checkpoint): Promise<boolean> => {
    const isMarked = await isMarkedLog(events, last, BigInt(position));
    if (!isMarked) report('the audit index is built anew: the log is another one than it was read from');
    return isMarked;
  };
  return IndexWriter.open({ path, report, fits, sizes });
};

const continueWith = (writer: IndexWriter, { events, report }: AuditIndexFollowerOptions): Continuation => {
  const numbering = new Numbering(events, writer);
  /** Once for each place: an index that does not fit a second time would never fit. It keeps what is before, and tries to go on from there. */
  const diverged = ({ index, message: reason }: IndexDiverged): void => {
    const { divergence: known } = writer;
    const again = known !== null && numbering.fitsUpTo < known.index;
    if (again) {
      if (!known.stopped) report(`the audit index was built anew and stops: ${reason}`, new IndexDiverged(index));
      writer.noteDivergence({ index, reason, stopped: true });
    } else {
      report(`the audit index is built anew: ${reason}`);
      writer.clear({ index, reason, stopped: false });
    }
  };
  const take = async (batch: EventBatch): Promise<void> => {
    try {
      await numbering.take(batch);
    } catch (error) {
      if (error instanceof IndexDiverged) diverged(error);
      throw error;
    }
    const { divergence } = writer;
    if (divergence && numbering.fitsUpTo >= divergence.index) writer.noteDivergence(null);
  };
  return { after: BigInt(writer.checkpoint.position), take };
};
