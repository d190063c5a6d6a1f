import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { categoryOf, type Position, UNREADABLE } from '#domain/shared/events.js';
import { decode, type WireEvent } from './records.js';

/** An event in a stream that other programs own. Names are as they were written: anything may be in them. */
export type ForeignEvent = Readonly<{ stream: string; type: string; id: string; position: Position }>;

/** Which streams of a server belong to Logbook. */
export type OwnStreams = Readonly<{
  /** All that this version writes. */
  categories: ReadonlySet<string>;
  /**
   * By category, the types of the events that the program itself is built on: keys, and the chain. They are no part of the chain, so what another program
   * wrote into their streams is passed over as well. Default: none.
   */
  closed?: Readonly<Record<string, EventCatalogue>>;
  /** By category, the members of stream metadata that Logbook sets itself: others on a stream of ours are foreign. Default: none. */
  metadata?: Readonly<Record<string, readonly string[]>>;
  /** Called with each event of other programs that is passed over, once as far as {@link RecentPositions} remembers. Default: nobody is told. */
  passedOver?: (event: ForeignEvent) => void;
}>;

const REMEMBERED = 10_000;

/** The positions of the last 10,000 events that were noted. */
export class RecentPositions {
  private readonly positions = new Set<Position>();

  /** Returns whether it is new. */
  note(position: Position): boolean {
    if (this.positions.has(position)) return false;
    this.positions.add(position);
    if (this.positions.size > REMEMBERED) for (const oldest of this.positions.values()) return this.positions.delete(oldest);
    return true;
  }
}

const namespaceOf = (category: string): string => category.slice(0, category.indexOf('.') + 1);

/**
 * Tells events of other programs in the same log from ours. A category that this version writes is ours whatever is in it, unless it is closed. So is one that begins like
 * them (`status.`) if the event is one of Logbook: a newer version, beside this one, writes categories that this one does not know, and they are part of the
 * chain. Everything else is foreign.
 */
export class ForeignEvents {
  private readonly namespaces: ReadonlySet<string>;
  private readonly recent = new RecentPositions();

  /** @param own default: all streams are ours */
  constructor(private readonly own: OwnStreams | undefined) {
    this.namespaces = new Set([...(own?.categories ?? [])].map(namespaceOf));
  }

  /** Whether the stream is of a category that this version writes. */
  isOwn(stream: string): boolean {
    return this.own === undefined || this.own.categories.has(categoryOf(stream));
  }

  /** Whether to pass over it. */
  has(wire: WireEvent): boolean {
    const { stream, type, id, position } = wire;
    if (this.isOwn(stream) ? !this.isIntruder(wire) : this.isOfNewer(wire)) return false;
    if (this.recent.note(position)) this.own?.passedOver?.({ stream, type, id, position });
    return true;
  }

  /** Whether another program wrote it into a stream of a closed category. */
  private isIntruder(wire: WireEvent): boolean {
    const types = this.own?.closed?.[categoryOf(wire.stream)];
    if (types === undefined) return false;
    if (!Object.hasOwn(types, wire.type)) return true;
    const { event, payload } = decode(wire);
    return event.type === UNREADABLE || payload !== undefined; // none of them is so large
  }

  /** Whether a newer version of Logbook wrote it. */
  private isOfNewer(wire: WireEvent): boolean {
    return this.namespaces.has(namespaceOf(categoryOf(wire.stream))) && decode(wire).event.type !== UNREADABLE;
  }
}
