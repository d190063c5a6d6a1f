import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '#domain/shared/event-store.js';
import { DocumentsHistory } from '#infra/engine/history/documents-history.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import { DEFAULT_TIMING } from '#infra/engine/projection-runner/runner-timing.js';
import { openDocumentStore } from '#infra/stores/document-store/open.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { SealedDocuments } from '#infra/stores/read-store/sealed/sealed-documents.js';
import { SealedReadStore } from '#infra/stores/read-store/sealed/sealed-read-store.js';
import { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import type { History } from '#projections/shared/past.js';
import type { Projection } from '#projections/shared/projection.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { until } from '#test/support/eventually.js';

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
  /** The documents of now. */
  documents: Pick<ReadStore, 'view'>;
  /** Ends as a process does that is asked to. */
  close(): Promise<void>;
  /** Leaves the files as a process does that is killed. What was reached before must be read from them. */
  kill(): Promise<void>;
}>;

/** Until a newer version is served its past is that of the one before. */
const untilReplaced = (documents: ReadStore, { name, version }: Projection): Promise<void> =>
  until(async () => ((await documents.served(name))?.version ?? version) === version);

export const openHistoryLab = async (): Promise<HistoryLab> => {
  const directory = await mkdtemp(join(tmpdir(), 'logbook-history-lab-'));
  const events = openEmbeddedEventStore({ path: join(directory, 'log') });
  const keys = await SubjectKeys.open({ store: events, masterKey: Buffer.alloc(32, 1) });
  let path = join(directory, 'history');
  const open = async (projections: readonly Projection[]): Promise<OpenedHistory> => {
    const sealed = new SealedDocuments(keys, projections);
    const carriesPast = (name: string): boolean => projections.some((one) => one.name === name && one.past === 'in-documents');
    const documents = await openDocumentStore({ path, report: () => undefined, keepsPast: (name) => !carriesPast(name), carriesPast });
    const store = new SealedReadStore(documents, sealed);
    const common = { expiring: [], log: silent, now: Date.now, timing: DEFAULT_TIMING };
    const readModels = new ReadModels({ ...common, events, store, decode: (recorded) => recorded }, projections);
    const history = new DocumentsHistory({ store: documents, projections, sealed, readModels });
    readModels.start();
    for (const projection of projections) await untilReplaced(documents, projection);
    const close = async (): Promise<void> => {
      await readModels.stop();
      await documents.close();
    };
    const kill = async (): Promise<void> => {
      const killed = `${path}-killed`;
      cpSync(path, killed, { recursive: true, filter: (name) => !/lock|opener/.test(name) });
      await close();
      path = killed;
    };
    return { history, documents: store, close, kill };
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
