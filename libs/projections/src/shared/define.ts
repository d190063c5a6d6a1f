import type { DomainEvent, RecordedEvent } from '#domain/shared/events.js';
import type { DocumentChange, DocumentKey, Projection, ReadDocument } from './projection.js';

/** A recorded event of a union of domain events, still told apart by its type. */
export type EventOf<E extends DomainEvent> = E extends DomainEvent ? Omit<RecordedEvent, 'type' | 'data'> & E : never;

/** A projection written against the events of its features instead of plain JSON. `reads` defaults to none. */
export type ProjectionDefinition<E extends DomainEvent> = Omit<Projection, 'handles' | 'reads' | 'apply'> &
  Readonly<{
    handles: readonly E['type'][];
    reads?: (event: EventOf<E>) => readonly DocumentKey[];
    apply(event: EventOf<E>, read: ReadDocument): readonly DocumentChange[];
  }>;

/** The codec has checked that stored events have the shape of their type: here they become typed, once for all projections. */
export const defineProjection = <E extends DomainEvent>(definition: ProjectionDefinition<E>): Projection => ({
  ...definition,
  handles: new Set<string>(definition.handles),
  reads: (event) => definition.reads?.(event as unknown as EventOf<E>) ?? [],
  apply: (event, read) => definition.apply(event as unknown as EventOf<E>, read),
});
