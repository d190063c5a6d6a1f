import type { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { EventStoreDbLog } from '#infra/stores/event-store/eventstoredb/event-store.js';
import { shown } from './foreign-streams.js';

/** Maximum number of named streams. */
const NAMED = 5;

/** Text with the first streams whose metadata has members that Logbook never sets there; `null` if there are none. */
export const foreignMetadataIn = (found: ReadonlyMap<string, readonly string[]>): string | null => {
  if (found.size === 0) return null;
  const named = [...found].slice(0, NAMED).map(([stream, members]) => `${shown(stream)} (${members.join(', ')})`);
  return `${named.join(', ')}${found.size > NAMED ? ` and ${found.size - NAMED} more` : ''}`;
};

const LOOK_EVERY_MS = 600_000;

/** Checks every ten minutes whether another program has set metadata of our streams: it can make the server drop events or refuse calls. */
export class MetadataWatch {
  private readonly closing = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private logged: string | null = null;

  constructor(
    private readonly log: Pick<EventStoreDbLog, 'foreignMetadata'>,
    private readonly telemetry: Pick<Telemetry, 'foreignMetadata'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    void this.look().finally(() => {
      if (!this.closing.signal.aborted) this.timer = setTimeout(() => this.start(), LOOK_EVERY_MS).unref();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.closing.abort();
  }

  private async look(): Promise<void> {
    try {
      const found = await this.log.foreignMetadata(this.closing.signal);
      this.telemetry.foreignMetadata.set(found.size);
      const streams = foreignMetadataIn(found);
      if (streams !== null && streams !== this.logged)
        this.logger.warn({ streams }, 'another program has set metadata of streams of Logbook: set them back, see logbook doctor');
      this.logged = streams;
    } catch (err) {
      if (!this.closing.signal.aborted) this.logger.warn({ err }, 'the metadata of streams cannot be looked at');
    }
  }
}
