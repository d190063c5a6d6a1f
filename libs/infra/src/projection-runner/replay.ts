import { setImmediate as breathe } from 'node:timers/promises';
import type { EventBatch, EventStore } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { Projection } from '#projections/shared/projection.js';
import type { Namespace, ReadStore } from '#projections/shared/read-store.js';
import { type OriginTrail, withOpenings, withoutOpenings } from '../log-identity/origin.js';
import { type DecodeEvents, foldEvents } from './apply-batch.js';
import type { Patience } from './timing.js';
import { WorkingSet } from './working-set.js';

/** Events read at a time: long enough to be cheap, short enough not to keep a server's event loop from its requests. */
const PAGE = 200;

/**
 * Documents are written together once so many are at hand, or so many bytes of them: hot ones are then encoded once for many events. More is
 * no faster, keeps Redis from its other clients for longer, and costs memory.
 */
const MOST_DOCUMENTS = 1_000;
const MOST_BYTES = 16 * 2 ** 20;

export type ReplayParts = Readonly<{ events: EventStore; store: ReadStore; decode: DecodeEvents; patience: Patience }>;

/**
 * Fills a namespace that nobody else writes to from the log, in large steps and bounded memory. While the store writes one step, the next one
 * is folded; what it reads of the step before it takes from there.
 */
export class Replay {
  #set: WorkingSet;
  #read: Position = 0n;
  /** Where the last step ended, written or being written. */
  #flushed: Position = 0n;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param trail of the namespace, which is empty
   * @param progressed told after each page how many events it had and up to where it went
   */
  constructor(
    private readonly parts: ReplayParts,
    private readonly projection: Projection,
    private readonly namespace: Namespace,
    private readonly trail: OriginTrail,
    private readonly progressed: (events: number, position: Position) => Promise<void>,
  ) {
    this.#set = new WorkingSet(projection);
  }

  /**
   * Applies everything up to the head of the log as it is now.
   * @param floor a position that was applied somewhere before this call: the checkpoint ends there at least
   * @throws EventFailed, NamespaceGone, AbortError
   */
  async catchUp(floor: Position): Promise<void> {
    try {
      await this.#foldAll();
      // What was applied before we asked lies before the head that has been reached, though the head of these categories may be lower.
      await this.#flush(this.#read > floor ? this.#read : floor);
    } finally {
      await this.#writing;
    }
  }

  async #foldAll(): Promise<void> {
    let page = this.#page(this.#read);
    for (;;) {
      const batch = await page;
      if (!batch.caughtUp) page = this.#page(batch.position);
      await this.#fold(batch);
      if (batch.caughtUp) return;
      await breathe();
    }
  }

  #page(after: Position): Promise<EventBatch> {
    const { events, patience } = this.parts;
    const categories = withOpenings(this.projection.categories);
    const page = patience.persist(() => events.readAll({ after, categories, limit: PAGE }));
    // It is read ahead: should this replay end before it is awaited, its failure is of no interest.
    page.catch(() => undefined);
    return page;
  }

  async #fold({ events: passed, position }: EventBatch): Promise<void> {
    const { store, decode, patience } = this.parts;
    const events = withoutOpenings(passed);
    const failure = await patience.persist(() => foldEvents(this.projection, decode, store.documents(this.namespace), this.#set, events));
    if (failure) throw failure;
    this.#read = position;
    this.trail.passed(passed);
    this.#set.encodeUnread();
    if (this.#set.size >= MOST_DOCUMENTS || this.#set.bytes >= MOST_BYTES) await this.#flush(position);
    await this.progressed(events.length, position);
  }

  /** Returns when the store is done with the step before this one. */
  async #flush(to: Position): Promise<void> {
    if (to <= this.#flushed) return;
    const set = this.#set;
    const changes = set.changes();
    const origin = this.trail.at(to);
    await this.#writing;
    this.#writing = this.parts.patience.commit(this.parts.store, this.namespace, changes, this.#flushed, to, origin);
    this.#set = set.next(this.#writing);
    this.#flushed = to;
  }
}
