import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { categoryOf, type Position, type RecordedEvent } from '#domain/shared/events.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import type { Answered } from './answered-positions.js';
import { CheckedCauses } from './causes.js';
import { CheckedPositions } from './checked-positions.js';
import { CommittedSchemas } from './event-schemas.js';

/** Of each type so many are compared: a suite that appends many of one kind learns nothing from the rest. */
const OF_EACH_TYPE = 200;
/** Events of a log that are looked at. */
const MOST_EVENTS = 20_000;
const PAGE = 1_000;

/** Where the smallest event of each type is collected, by `<category>.<type>`; for new entries of test/docs/events/examples.json. */
const EXAMPLES = process.env.LOGBOOK_EVENT_EXAMPLES;

/** Put there by a test past all rules, perhaps on purpose in a form that no command makes. */
const isPlanted = ({ metadata }: RecordedEvent): boolean => metadata.correlationId === 'planted';

const schemas = new CommittedSchemas();

const collect = (path: string, events: ReadonlyMap<string, RecordedEvent>): void => {
  const known = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : {};
  const size = (value: unknown): number => (value === undefined ? Number.POSITIVE_INFINITY : JSON.stringify(value).length);
  for (const [name, { data }] of events) if (size(data) < size(known[name])) known[name] = data;
  writeFileSync(path, JSON.stringify(known));
};

/**
 * Flaws of the events of an embedded log that no process has open: against docs/events, their permitted causes, and the positions that answers named. Logs that cannot
 * be opened have no flaws.
 */
export const flawsOfLog = async (dataDirectory: string, answered: Answered): Promise<readonly string[]> => {
  const path = join(dataDirectory, 'log');
  if (!existsSync(path)) return [];
  const flaws = new Set<string>();
  const seen = new Map<string, number>();
  const smallest = new Map<string, RecordedEvent>();
  const positions = new CheckedPositions(answered);
  const causes = new CheckedCauses();
  let end: Position | undefined;
  const look = (event: RecordedEvent): void => {
    positions.look(event);
    const cause = causes.flawOf(event);
    if (cause !== null) flaws.add(cause);
    const name = `${categoryOf(event.stream)}.${event.type}`;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    if (times >= OF_EACH_TYPE) return;
    const flaw = schemas.flawOf(event);
    if (flaw !== null) flaws.add(flaw);
    const other = smallest.get(name);
    if (EXAMPLES && (!other || JSON.stringify(event.data).length < JSON.stringify(other.data).length)) smallest.set(name, event);
  };
  try {
    const log = openEmbeddedEventStore({ path, readOnly: true });
    try {
      let after = 0n;
      for (let read = 0; read < MOST_EVENTS; read += PAGE) {
        const { events, position, caughtUp } = await log.readAll({ after, limit: PAGE });
        for (const event of events) if (!isPlanted(event)) look(event);
        end = caughtUp ? undefined : position;
        if (caughtUp) break;
        after = position;
      }
    } finally {
      await log.close();
    }
  } catch {
    // Damaged on purpose, or of another release.
  }
  if (EXAMPLES) collect(EXAMPLES, smallest);
  return [...flaws, ...positions.flaws(end)];
};
