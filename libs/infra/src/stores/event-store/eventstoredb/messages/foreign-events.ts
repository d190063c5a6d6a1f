import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { categoryOf, type Position, UNREADABLE } from '#domain/shared/events.js';
import { decode, type WireEvent } from './records.js';

/** An event in a stream of another program. Names are unchecked: they may contain anything. */
export type ForeignEvent = Readonly<{ stream: string; type: string; id: string; position: Position }>;

/** Determines which streams of a server belong to Logbook. */
export type OwnStreams = Readonly<{
  /** All categories that this version writes. */
  categories: ReadonlySet<string>;
  /**
   * By category, the types of internal events: keys and the chain. These events are not part of the chain, so events that another program
   * wrote into their streams are skipped as well. Default: none.
   */
  closed?: Readonly<Record<string, EventCatalogue>>;
  /** By category, the members of stream metadata that Logbook sets itself. Other members on these streams are foreign. Default: none. */
  metadata?: Readonly<Record<string, readonly string[]>>;
  /** Called with each skipped event of other programs, once within the limits of {@link RecentPositions}. Default: no callback. */
  passedOver?: (event: ForeignEvent) => void;
}>;

const REMEMBERED = 10_000;

/** The positions of the last 10,000 noted events. */
export class RecentPositions {
  private readonly positions = new Set<Position>();

  /** Returns whether the position is new. */
  note(position: Position): boolean {
    if (this.positions.has(position)) return false;
    this.positions.add(position);
    if (this.positions.size > REMEMBERED) for (const oldest of this.positions.values()) return this.positions.delete(oldest);
    return true;
  }
}

const namespaceOf = (category: string): string => category.slice(0, category.indexOf('.') + 1);

/**
 * Distinguishes events of other programs in the same log from Logbook's. A category that this version writes belongs to Logbook, whatever
 * is in it, unless it is closed. A category with the same prefix (`status.`) does too if the event has Logbook's form: a newer version
 * beside this one writes categories unknown to this one, and they are part of the chain. All other events are foreign.
 */
export class ForeignEvents {
  private readonly namespaces: ReadonlySet<string>;
  private readonly recent = new RecentPositions();

  /** @param own default: all streams are Logbook's */
  constructor(private readonly own: OwnStreams | undefined) {
    this.namespaces = new Set([...(own?.categories ?? [])].map(namespaceOf));
  }

  /** Returns whether this version writes the category of the stream. */
  isOwn(stream: string): boolean {
    return this.own === undefined || this.own.categories.has(categoryOf(stream));
  }

  /** Returns whether to skip the event. */
  has(wire: WireEvent): boolean {
    const { stream, type, id, position } = wire;
    if (this.isOwn(stream) ? !this.isIntruder(wire) : this.isOfNewer(wire)) return false;
    if (this.recent.note(position)) this.own?.passedOver?.({ stream, type, id, position });
    return true;
  }

  /** Returns whether another program wrote it into a stream of a closed category. */
  private isIntruder(wire: WireEvent): boolean {
    const types = this.own?.closed?.[categoryOf(wire.stream)];
    if (types === undefined) return false;
    if (!Object.hasOwn(types, wire.type)) return true;
    const { event, payload } = decode(wire);
    return event.type === UNREADABLE || payload !== undefined; // no internal event is so large
  }

  /** Returns whether a newer version of Logbook wrote it. */
  private isOfNewer(wire: WireEvent): boolean {
    return this.namespaces.has(namespaceOf(categoryOf(wire.stream))) && decode(wire).event.type !== UNREADABLE;
  }
}
