import type { EventStore } from '#domain/shared/event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import type { ResultsStore } from './results-store.js';

/** The log and the program that stored results come from. Everything that they show happened up to `position`. */
type Origin = Readonly<{ installation: string | null; position: string; opened: string | null; versions: string }>;

const ORIGIN = 'origin';

type OriginLog = Pick<EventStore, 'append' | 'readStream' | 'head' | 'end'>;

/**
 * Whether stored results come from this log and from these read models. Stamps are made of positions: in a log that was restored, or in another
 * one, the same positions may mean something else. Whoever continues to write in a copy of a log opens it first, so the newest opening before a position
 * tells whether everything up to there is the same.
 */
export class ResultsOrigin {
  private readonly identity: LogIdentity;

  /** @param versions of the read models that results are computed from, as one text */
  constructor(
    private readonly events: OriginLog,
    private readonly store: Pick<ResultsStore, 'row' | 'putRow' | 'clear'>,
    private readonly versions: string,
  ) {
    this.identity = new LogIdentity(events);
  }

  /** Removes what does not come from here. Returns why, if anything had to be. @throws EventStoreUnavailable */
  async examine(): Promise<string | undefined> {
    const stored = this.store.row(ORIGIN);
    const why = stored === undefined ? undefined : await this.mismatch(JSON.parse(stored) as Origin);
    if (why !== undefined || stored === undefined) await this.store.clear();
    return why;
  }

  /** To be called after reading what results are computed from, and before they are written. @throws EventStoreUnavailable */
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
