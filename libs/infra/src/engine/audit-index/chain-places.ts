import { LEAVES_STREAM, type LeafPlace, type LeavesChained } from '#domain/integrity/integrity-events.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { RecordedEvent, Revision } from '#domain/shared/events.js';
import { firstRevision } from '#infra/stores/event-store/first-revision.js';

/** Events of leaves that are read at once: some 200 KB each. */
const PAGE_EVENTS = 4;

export const leavesOf = (event: RecordedEvent): LeavesChained => event.data as unknown as LeavesChained;

/** The place of a leaf, and the log time that is known there: of the last leaf of an event, else 0. */
export type KnownPlace = LeafPlace & Readonly<{ index: number; logTime: number }>;

/** The places of the chain's leaves, asked for in ascending order of their indexes. */
export class ChainPlaces {
  private place: KnownPlace | undefined;
  private places: Generator<KnownPlace> | undefined;
  private page: readonly RecordedEvent[] = [];
  /** Next event of leaves to read; `undefined`: not known yet. */
  private revision: Revision | undefined;
  private mayHaveMore = true;

  constructor(private readonly events: Pick<EventStore, 'readStream'>) {}

  /** Leaves may have been chained since the last call: the next call of `at` looks for them. */
  lookAgain(): void {
    this.mayHaveMore = true;
  }

  /** `undefined`: the chain did not reach so far when it was last looked at. @throws EventStoreUnavailable */
  async at(index: number): Promise<KnownPlace | undefined> {
    while (!this.place || this.place.index < index) {
      this.place = this.places?.next().value;
      if (!this.place && !(await this.nextLeaves(index))) return undefined;
    }
    return this.place.index === index ? this.place : undefined;
  }

  /** Goes on to the first event of leaves that ends behind an index. */
  private async nextLeaves(index: number): Promise<boolean> {
    for (;;) {
      if (this.page.length === 0) this.page = await this.nextPage(index);
      const [event, ...rest] = this.page;
      if (!event) return false;
      this.page = rest;
      if (endOf(event) <= index) continue;
      this.places = placesIn(leavesOf(event), index);
      return true;
    }
  }

  private async nextPage(index: number): Promise<readonly RecordedEvent[]> {
    if (!this.mayHaveMore) return [];
    this.revision ??= await this.firstBehind(index);
    const page =
      this.revision === undefined ? [] : await this.events.readStream(LEAVES_STREAM, { from: this.revision, limit: PAGE_EVENTS });
    const newest = page.at(-1);
    if (newest) this.revision = newest.revision + 1n;
    else this.mayHaveMore = false;
    return page;
  }

  private async firstBehind(index: number): Promise<Revision | undefined> {
    const [newest] = await this.events.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 });
    if (!newest) return undefined;
    if (endOf(newest) <= index) return newest.revision + 1n;
    return firstRevision(this.events, LEAVES_STREAM, newest.revision, (event) => endOf(event) > index);
  }
}

const endOf = (event: RecordedEvent): number => leavesOf(event).from + leavesOf(event).count;

function* placesIn({ from, count, streams, runs, time }: LeavesChained, index: number): Generator<KnownPlace, undefined> {
  let at = from;
  for (let run = 0; run + 2 < runs.length; run += 3) {
    const [name, first, events] = [runs[run], runs[run + 1], runs[run + 2]] as [number, number, number];
    for (let offset = Math.max(0, index - at); offset < events; offset++) {
      const isLast = at + offset === from + count - 1;
      const logTime = isLast ? Date.parse(time) || 0 : 0;
      yield { index: at + offset, stream: streams[name] ?? '', revision: first + offset, logTime };
    }
    at += events;
  }
  return undefined;
}
