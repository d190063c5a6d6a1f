import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import { type Continuation, type Following, followLog } from '#infra/engine/followers/follow-log.js';
import { PAGE_EVENTS } from '#infra/engine/followers/shared-log.js';
import { isLogged } from '#infra/platform/coordination/back-off.js';
import { isMarkedLog } from '#infra/stores/log-identity/log-mark.js';
import type { Checkpoint } from '../checkpoint.js';
import { IndexWriter, type PieceSizes } from './index-writer.js';
import { IndexDiverged, Numbering } from './numbering.js';

export type AuditIndexFollowerOptions = Readonly<{
  /** The log, read-only. */
  events: Pick<EventStore, 'readStream' | 'subscribeAll' | 'end' | 'onInterruption'>;
  /** Directory of the index. */
  path: string;
  /** Receives a sentence about why the index is rebuilt or waits. */
  report: (message: string, error?: unknown) => void;
  /** Called with each failure, also if it is not reported. Default: nothing. */
  failed?: ((error: unknown) => void) | undefined;
  /** Default: those of {@link IndexWriter}. */
  sizes?: PieceSizes | undefined;
}>;

/** Interval between checks whether a reader has set the index aside. */
const LOOK_MS = 1_000;

/** Fills the audit index from the log, from where it stopped, until it is stopped. Only one may run per index. */
export const followAuditIndex = (options: AuditIndexFollowerOptions): Following => {
  const { events, report, failed } = options;
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
    trouble: (error, failures) => {
      failed?.(error);
      if (!(error instanceof IndexDiverged) && isLogged(failures)) report('the audit index cannot be kept up to date', error);
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
    if (!isMarked) report('the audit index is rebuilt: the log is not the one that it was read from');
    return isMarked;
  };
  return IndexWriter.open({ path, report, fits, sizes });
};

const continueWith = (writer: IndexWriter, { events, report }: AuditIndexFollowerOptions): Continuation => {
  const numbering = new Numbering(events, writer);
  /** Rebuilds the index once per place. After a second mismatch there, it keeps the earlier events and retries from there. */
  const diverged = ({ index, message: reason }: IndexDiverged): void => {
    const { divergence: known } = writer;
    const again = known !== null && numbering.fitsUpTo < known.index;
    if (again) {
      if (known.stopped && known.index === index) return;
      if (!known.stopped) report(`the audit index was rebuilt and stops: ${reason}`, new IndexDiverged(index));
      writer.noteDivergence({ index, reason, stopped: true });
    } else {
      report(`the audit index is rebuilt: ${reason}`);
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
