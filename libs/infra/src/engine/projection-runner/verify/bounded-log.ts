import type { EventBatch, ReadAllOptions } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import { DelegatingEventStore } from '#infra/stores/event-store/delegating-event-store.js';

/** A log that ends at a position, even if events follow. */
export class BoundedLog extends DelegatingEventStore {
  /** Its last position. */
  bound: Position = 0n;

  override async readAll(options: ReadAllOptions): Promise<EventBatch> {
    const after = options.after ?? 0n;
    if (after >= this.bound) return { events: [], position: after, caughtUp: true };
    const batch = await this.inner.readAll(options);
    if (batch.position < this.bound) return batch.caughtUp ? { ...batch, position: this.bound } : batch;
    const events = batch.events.filter(({ position }) => position <= this.bound);
    return { ...batch, events, position: this.bound, caughtUp: true };
  }
}
