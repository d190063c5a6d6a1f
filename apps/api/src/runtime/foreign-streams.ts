import { EXPIRING } from '#domain/integrity/expiring.js';
import { integrityCatalogues } from '#domain/integrity/integrity-events.js';
import { categoryOf } from '#domain/shared/events.js';
import { IMPORT_CATEGORY, importEvents } from '#infra/edges/copies/import-marker.js';
import type { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { EventStoreClient } from '#infra/platform/config/event-store-clients.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { EventStoreDbLog } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { type ForeignEvent, type OwnStreams, RecentPositions } from '#infra/stores/event-store/eventstoredb/messages/foreign-events.js';
import { keyEvents, SUBJECT_KEYS_CATEGORY } from '#infra/stores/secrets/key-events.js';
import { catalogues } from './vocabulary.js';

/** Categories on which the program itself depends. */
const CLOSED = { ...integrityCatalogues, ...keyEvents, [IMPORT_CATEGORY]: importEvents };
/** Categories of all streams that Logbook writes. */
const OWN_CATEGORIES: ReadonlySet<string> = new Set([...Object.keys(catalogues), ...Object.keys(CLOSED)]);

/** Members of stream metadata that Logbook sets. These streams lose events over time, and of a destroyed key only the tombstone remains. */
const OWN_METADATA: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(EXPIRING.map((category) => [category, ['$maxAge', '$maxCount', '$tb']])),
  [SUBJECT_KEYS_CATEGORY]: ['$tb'],
};

/** The log on EventStoreDB, without events of other programs. */
export const openEventStoreDbLog = async (
  {
    eventStoreUrl: connectionString,
    eventStoreClient: client,
  }: Readonly<{ eventStoreUrl: string; eventStoreClient?: EventStoreClient | undefined }>,
  passedOver?: OwnStreams['passedOver'],
): Promise<EventStoreDbLog> => {
  const { openEventStoreDb } = await import('#infra/stores/event-store/eventstoredb/event-store.js');
  return openEventStoreDb({
    connectionString,
    ...(client && { client }),
    own: { categories: OWN_CATEGORIES, closed: CLOSED, metadata: OWN_METADATA, ...(passedOver && { passedOver }) },
  });
};

/** Maximum number of named categories; streams of others are only counted. */
const MAX_NAMED = 100;
const MAX_SHOWN = 200;

export const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** Counts the events of other programs that this process skips, and logs the first of each category. */
export class ForeignStreams {
  private readonly recent = new RecentPositions();
  private readonly named = new Set<string>();

  constructor(
    private readonly telemetry: Pick<Telemetry, 'foreignEvents'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Several readers of the log may report the same event. */
  readonly note = (event: ForeignEvent): void => {
    if (!this.recent.note(event.position)) return;
    this.telemetry.foreignEvents.inc();
    const { stream, type, id, position } = event;
    const category = categoryOf(stream);
    if (this.named.size === MAX_NAMED || this.named.has(category)) return;
    this.named.add(category);
    const facts = { stream: shown(stream), type: shown(type), event: id, position: `${position}` };
    this.logger.warn(facts, 'another program writes to this EventStoreDB: events in streams like this one are passed over');
  };
}

const GATHER_MS = 1_000;
const GATHERED = 1_000;

/** Gathers events and passes them on together, after a second at the latest. */
export const gathering = (handOver: (events: readonly ForeignEvent[]) => void): ((event: ForeignEvent) => void) => {
  let events: ForeignEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    handOver(events);
    events = [];
  };
  return (event) => {
    events.push(event);
    if (events.length === GATHERED) flush();
    else timer ??= setTimeout(flush, GATHER_MS).unref();
  };
};
