import { endOfLeaves, LEAVES_STREAM, type Leaf, type LeavesChained, leavesOf, placesIn } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';
import { firstRevision } from '#infra/stores/event-store/first-revision.js';

/** Events of leaves per read: about 200 KB each. */
const PAGE_EVENTS = 4;

/** Place of a leaf, with its log time if known: for the last leaf of an event, otherwise 0. */
export type KnownPlace = Omit<Leaf, 'hash'> & Readonly<{ logTime: number }>;

/** Places of the chain's leaves, to be requested in ascending order of index. */
export class ChainPlaces {
  private leaves: LeavesChained | undefined;
  private places: ReturnType<typeof placesIn> | undefined;
  private place: Omit<Leaf, 'hash'> | undefined;
  private page: RecordedEvent[] = [];
  /** Next event of leaves to read; `undefined` if unknown. */
  private revision: Revision | undefined;
  private mayHaveMore = true;

  constructor(private readonly events: Pick<EventStore, 'readStream'>) {}

  /** Makes the next call of `at` look for new leaves. @param events read from the log; they may include leaves */
  lookAgain(events: readonly RecordedEvent[]): void {
    for (const event of events)
      if (event.stream === LEAVES_STREAM && event.revision === this.revision) {
        this.page.push(event);
        this.revision += 1n;
      }
    this.mayHaveMore = true;
  }

  /** Returns whether all known places were requested: `at` finds no more before `lookAgain`. */
  get isAtEnd(): boolean {
    return this.place === undefined && this.page.length === 0 && !this.mayHaveMore;
  }

  /** `undefined` if the chain did not reach this index at the last look. @throws EventStoreUnavailable */
  async at(index: number): Promise<KnownPlace | undefined> {
    while (!this.place || this.place.index < index) {
      this.place = this.places?.next().value;
      if (!this.place && !(await this.nextLeaves(index))) return undefined;
    }
    const { leaves, place } = this;
    if (!leaves || place.index !== index) return undefined;
    return { ...place, logTime: index === leaves.from + leaves.count - 1 ? Date.parse(leaves.time) || 0 : 0 };
  }

  /** Moves to the first event of leaves that ends behind an index. */
  private async nextLeaves(index: number): Promise<boolean> {
    for (;;) {
      if (this.page.length === 0) this.page = await this.nextPage(index);
      const event = this.page.shift();
      if (!event) return false;
      if (endOfLeaves(event) <= index) continue;
      this.leaves = leavesOf(event);
      this.places = placesIn(this.leaves, index);
      return true;
    }
  }

  private async nextPage(index: number): Promise<RecordedEvent[]> {
    if (!this.mayHaveMore) return [];
    this.revision ??= await this.firstBehind(index);
    const page =
      this.revision === undefined ? [] : await this.events.readStream(LEAVES_STREAM, { from: this.revision, limit: PAGE_EVENTS });
    const newest = page.at(-1);
    if (newest) this.revision = newest.revision + 1n;
    else this.mayHaveMore = false;
    return [...page];
  }

  private async firstBehind(index: number): Promise<Revision | undefined> {
    const [newest] = await this.events.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 });
    if (!newest) return undefined;
    if (endOfLeaves(newest) <= index) return newest.revision + 1n;
    return firstRevision(this.events, LEAVES_STREAM, newest.revision, (event) => endOfLeaves(event) > index);
  }
}
