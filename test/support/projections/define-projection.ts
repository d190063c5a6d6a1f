import type { DomainEvent } from '#domain/shared/events.js';
import type { DocumentChange, DocumentKey, Projection, ReadDocument } from '#projections/shared/projection.js';
import type { EventOf } from '#projections/shared/read-model.js';

export const put = (collection: string, key: string, value: unknown): DocumentChange => ({ kind: 'put', collection, key, value });
export const append = (collection: string, key: string, piece: string): DocumentChange => ({ kind: 'append', collection, key, piece });
export const remove = (collection: string, key: string): DocumentChange => ({ kind: 'delete', collection, key });
export const removePrefix = (collection: string, prefix: string): DocumentChange => ({ kind: 'delete-prefix', collection, prefix });

type Definition<E extends DomainEvent> = Omit<Projection, 'handles' | 'reads' | 'apply'> &
  Readonly<{
    handles: readonly E['type'][];
    reads?: (event: EventOf<E>) => readonly DocumentKey[];
    apply(event: EventOf<E>, read: ReadDocument): readonly DocumentChange[];
  }>;

/** A projection of tests, in which `reads` and `apply` can be made to fail; the read models of the services are made by `readModel`. */
export const defineProjection = <E extends DomainEvent>(definition: Definition<E>): Projection => ({
  ...definition,
  handles: new Set<string>(definition.handles),
  reads: (event) => definition.reads?.(event as EventOf<E>) ?? [],
  apply: (event, read) => definition.apply(event as EventOf<E>, read),
});
