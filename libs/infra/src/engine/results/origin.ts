import type { EventStore } from '#domain/shared/event-store.js';
import { examine } from '#infra/stores/log-identity/examine.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { encodeOrigin } from '#infra/stores/log-identity/origin.js';
import type { ResultsStore } from './results-store.js';

/** The log and the program that stored results come from. Everything that they show happened up to `position`. */
type Origin = Readonly<{ position: string; log: string; versions: string }>;

const ORIGIN = 'origin';

type OriginLog = Pick<EventStore, 'append' | 'readStream' | 'head' | 'end'>;

/**
 * Checks whether stored results come from this log and these read models. Stamps consist of positions: in a restored log, or another one,
 * the same positions may mean something else.
 */
export class ResultsOrigin {
  /** @param versions of the read models from which results are computed, as one text */
  constructor(
    private readonly events: OriginLog,
    private readonly store: Pick<ResultsStore, 'row' | 'putRow' | 'clear' | 'isEmpty'>,
    private readonly versions: string,
  ) {}

  /** Removes results of other origin. Returns the reason if it removed any. @throws EventStoreUnavailable */
  async examine(): Promise<string | undefined> {
    const stored = this.store.row(ORIGIN);
    const why = stored === undefined ? undefined : await this.mismatch(JSON.parse(stored) as Origin);
    if (why !== undefined || (stored === undefined && !this.store.isEmpty)) await this.store.clear(); // needs room on the disk
    return why;
  }

  /** Must be called after reading the inputs of results, and before these are written. @throws EventStoreUnavailable */
  async record(): Promise<void> {
    const identity = new LogIdentity(this.events);
    const checkpoint = await this.events.head();
    const opened = await identity.openingUpTo(checkpoint);
    const installation = (await identity.installation()) ?? '';
    const log = encodeOrigin({ installation, checkpoint, opened, last: null });
    this.store.putRow(ORIGIN, JSON.stringify({ position: `${checkpoint}`, log, versions: this.versions } satisfies Origin));
  }

  private async mismatch({ position, log, versions }: Origin): Promise<string | undefined> {
    if (versions !== this.versions) return 'they were computed from read models of another version';
    const finding = await examine({ events: this.events, expiring: [] }, { checkpoint: BigInt(position), origin: log });
    return 'why' in finding ? finding.why : undefined;
  }
}
