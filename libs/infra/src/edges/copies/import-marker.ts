import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { type Cause, newestCause } from '#domain/shared/causation.js';
import { type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import { systemEvent } from '#infra/stores/event-store/system-events.js';
import type { ExportHeader } from './export-lines.js';

/** Records in the log whether an import is in progress, so that no process on either store serves half a log. Exports omit it. */
export const IMPORT_CATEGORY = 'integrity.import';
export const importEvents: EventCatalogue = { ImportBegun: {}, ImportEnded: {} };
const IMPORT_STREAM = `${IMPORT_CATEGORY}-global`;

export const isImportMarker = (stream: string): boolean => stream === IMPORT_STREAM;

/** `frontier`: peaks of the tree before the import. */
export type ImportBegun = Readonly<Pick<ExportHeader, 'installation' | 'from' | 'size' | 'root'> & { frontier: string }>;

/** The log holds only a part of an import. */
class ImportUnfinished extends EventStoreUnavailable {
  constructor(readonly begun: ImportBegun) {
    super('an import into this log has not ended: run `logbook import` again with the same file, or start with an empty log');
  }
}

/** The import in progress; `null` if there is none. @throws EventStoreUnavailable */
export const unfinishedImport = async (events: Pick<EventStore, 'readStream'>): Promise<ImportBegun | null> => {
  const [newest] = await events.readStream(IMPORT_STREAM, { direction: 'backwards', limit: 1 });
  return newest?.type === 'ImportBegun' ? (newest.data as ImportBegun) : null;
};

/** @throws ImportUnfinished */
export const refuseUnfinishedImport = async (events: Pick<EventStore, 'readStream'>): Promise<void> => {
  const begun = await unfinishedImport(events);
  if (begun) throw new ImportUnfinished(begun);
};

export const markBegun = async (events: Pick<EventStore, 'append'>, begun: ImportBegun): Promise<void> => {
  await events.append(IMPORT_STREAM, [systemEvent('import', 'ImportBegun', begun, null)], 'any');
};

/** Beginning of the newest import; `null` if there was none. @throws EventStoreUnavailable */
export const newestImport = (events: Pick<EventStore, 'readStream'>): Promise<Cause | null> =>
  newestCause(events, IMPORT_STREAM, ({ type }) => type === 'ImportBegun');

export const markEnded = async (events: Pick<EventStore, 'append' | 'readStream'>, { size, root }: ImportBegun): Promise<void> => {
  await events.append(IMPORT_STREAM, [systemEvent('import', 'ImportEnded', { size, root }, await newestImport(events))], 'any');
};
