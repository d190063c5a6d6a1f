import { randomUUID } from 'node:crypto';
import { type InstallationFounded, LOG_STREAM } from '#domain/operations/log-events.js';
import { AppendOutcomeUnknown, type EventStore, WrongExpectedRevision } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent, Position, RecordedEvent } from '#domain/shared/events.js';
import { systemEvent } from '#infra/stores/event-store/system-events.js';

/** Openings per read, newest first. */
const PAGE_EVENTS = 100;
const MAX_ATTEMPTS = 3;

const logEvent = (type: string, data: JsonObject): NewEvent => systemEvent('log', type, data, null);

/** Identity of a log: its installation, and its openings for writing. */
export class LogIdentity {
  constructor(private readonly events: Pick<EventStore, 'append' | 'readStream'>) {}

  /**
   * Records in the log that this process is about to write, and creates an installation if the log has none. If several processes do so at
   * once, all get the same installation.
   * @returns the installation, a UUID
   * @throws EventStoreUnavailable, AppendOutcomeUnknown
   */
  async open(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        const known = await this.installation();
        if (known === null) return await this.found();
        await this.events.append(LOG_STREAM, [logEvent('LogOpened', {})], 'any');
        return known;
      } catch (error) {
        // Another process created it, or our append succeeded after all, or must be repeated: the log decides.
        const undecided = error instanceof WrongExpectedRevision || error instanceof AppendOutcomeUnknown;
        if (!undecided || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** `null` if no process has opened this log for writing yet. @throws EventStoreUnavailable */
  async installation(): Promise<string | null> {
    const [first] = await this.events.readStream(LOG_STREAM, { limit: 1 });
    return first ? (first.data as InstallationFounded).installation : null;
  }

  /** Newest event of {@link LOG_STREAM} up to a position, inclusive. @throws EventStoreUnavailable */
  async openingUpTo(position: Position): Promise<RecordedEvent | null> {
    for (let from: bigint | undefined; from === undefined || from >= 0n; ) {
      const page = await this.events.readStream(LOG_STREAM, {
        direction: 'backwards',
        limit: PAGE_EVENTS,
        ...(from !== undefined && { from }),
      });
      const found = page.find((event) => event.position <= position);
      if (found) return found;
      from = (page.at(-1)?.revision ?? 0n) - 1n;
    }
    return null;
  }

  private async found(): Promise<string> {
    const installation = randomUUID();
    await this.events.append(LOG_STREAM, [logEvent('InstallationFounded', { installation })], 'no-stream');
    return installation;
  }
}
