import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import { SharedLog } from '#infra/engine/followers/shared-log.js';
import { HistoryFiles } from '#infra/engine/history/files.js';
import { RecordedHistory } from '#infra/engine/history/recorded-history.js';
import { Recorder } from '#infra/engine/history/recorder.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { History } from '#projections/shared/past.js';
import type { Projection } from '#projections/shared/projection.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A log, and the past of projections over it in files of their own: the one file of tests that knows how it is recorded. */
export type HistoryLab = Readonly<{
  events: EventStore;
  /** Records the past of the projections, and goes on with what was recorded before. One at a time. */
  open(projections: readonly Projection[]): Promise<OpenedHistory>;
  /** Removes what was recorded, while nothing is open. */
  lose(): Promise<void>;
  dispose(): Promise<void>;
}>;

export type OpenedHistory = Readonly<{
  history: History;
  /** Ends as a process does that is asked to. */
  close(): Promise<void>;
  /** Leaves the files as a process does that is killed. What was reached before must be read from them. */
  kill(): Promise<void>;
}>;

export const openHistoryLab = async (): Promise<HistoryLab> => {
  const directory = await mkdtemp(join(tmpdir(), 'logbook-history-lab-'));
  const events = openEmbeddedEventStore({ path: join(directory, 'log') });
  const keys = await SubjectKeys.open({ store: events, masterKey: Buffer.alloc(32, 1) });
  let path = join(directory, 'history');
  const open = async (projections: readonly Projection[]): Promise<OpenedHistory> => {
    const sealed = new SealedDocuments(keys, projections);
    const files = HistoryFiles.open({ path, report: () => undefined });
    const common = { expiring: [], sealed, log: silent, now: Date.now, changed: () => undefined };
    const recorder = new Recorder({ ...common, decode: (recorded) => recorded, events: new SharedLog(events), projections, files });
    const history = new RecordedHistory({ path, projections, sealed });
    recorder.start();
    const close = async (): Promise<void> => {
      await recorder.stop();
      await history.close();
      await files.close();
    };
    const kill = async (): Promise<void> => {
      const killed = `${path}-killed`;
      // In a transaction, so that nothing is being written.
      await files.write(() => cpSync(path, killed, { recursive: true, filter: (name) => !/lock\.mdb|opener/.test(name) }));
      await close();
      path = killed;
    };
    return { history, close, kill };
  };
  return {
    events,
    open,
    lose: () => rm(path, { recursive: true }),
    dispose: async () => {
      await events.close();
      await rm(directory, { recursive: true });
    },
  };
};
