import type { EventStore } from '#domain/shared/event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import type { ResultsStore } from './results-store.js';

/** The log and the program that stored results come from. Everything that they show happened up to `position`. */
type Origin = Readonly<{ installation: string | null; position: string; opened: string | null; versions: string }>;

const ORIGIN = 'origin';

type OriginLog = Pick<EventStore, 'append' | 'readStream' | 'head' | 'end'>;

/**
 * Checks whether stored results come from this log and these read models. Stamps consist of positions: in a restored log, or another one,
 * the same positions may mean something else. A process that continues to write in a copy of a log opens it first, so an equal newest
 * opening before a position proves that everything up to there is the same.
 */
export class ResultsOrigin {
  private readonly identity: LogIdentity;

  /** @param versions of the read models from which results are computed, as one text */
  constructor(
    private readonly events: OriginLog,
    private readonly store: Pick<ResultsStore, 'row' | 'putRow' | 'clear' | 'isEmpty'>,
    private readonly versions: string,
  ) {
    this.identity = new LogIdentity(events);
  }

  /** Removes results of other origin. Returns the reason if it removed any. @throws EventStoreUnavailable */
  async examine(): Promise<string | undefined> {
    const stored = this.store.row(ORIGIN);
    const why = stored === undefined ? undefined : await this.mismatch(JSON.parse(stored) as Origin);
    if (why !== undefined || (stored === undefined && !this.store.isEmpty)) await this.store.clear(); // needs room on the disk
    return why;
  }

  /** Must be called after reading the inputs of results, and before these are written. @throws EventStoreUnavailable */
  async record(): Promise<void> {
    const position = await this.events.head();
    const opened = await this.identity.openingUpTo(position);
    const installation = await this.identity.installation();
    const origin = { installation, position: `${position}`, opened: opened?.id ?? null, versions: this.versions };
    this.store.putRow(ORIGIN, JSON.stringify(origin satisfies Origin));
  }

  private async mismatch({ installation, position, opened, versions }: Origin): Promise<string | undefined> {
    if (versions !== this.versions) return 'they were computed from read models of another version';
    if ((await this.identity.installation()) !== installation) return 'they come from the log of another installation';
    if ((await this.events.end()) < BigInt(position)) return `the log ends before position ${position}, which they show`;
    const found = await this.identity.openingUpTo(BigInt(position));
    return (found?.id ?? null) === opened ? undefined : `another process has opened the log before position ${position}`;
  }
}
