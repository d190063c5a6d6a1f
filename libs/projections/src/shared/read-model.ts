import type { DomainEvent, RecordedEvent, ServiceName } from '#domain/shared/events.js';
import type { AnyCollection, DocumentRef, LazyRef } from './collection.js';
import { type Owner, orStream, type Partitioning, type PartitionsOf } from './partitions.js';
import type { DocumentChange, DocumentKey, NeededStreams, ProjectedEvent, Projection, ReadDocument } from './projection.js';

/** A recorded event of a union of domain events, discriminated by its type. */
export type EventOf<E extends DomainEvent> = E extends DomainEvent ? Omit<RecordedEvent, 'type' | 'data'> & E : never;

/** Named references to documents that a handler reads. Each name stands for one document or a list. */
type References = Readonly<Record<string, DocumentRef<unknown> | readonly DocumentRef<unknown>[]>>;

type Referred<Reference> =
  Reference extends LazyRef<infer Document>
    ? () => Document | undefined
    : Reference extends DocumentRef<infer Document>
      ? Document | undefined
      : never;

/** The referenced documents as left by earlier events, or functions that return them. `undefined` if there is none. */
type DocumentsOf<R extends References> = {
  readonly [Name in keyof R]: R[Name] extends readonly (infer Item)[] ? readonly Referred<Item>[] : Referred<R[Name]>;
};

/** Applies one type of event to the documents. It must not change a document it has read, but put a new one. */
export type Handler<Event> = Readonly<{
  reads(event: Event): readonly DocumentKey[];
  /** Further documents, whose keys are found with those of `reads`. Default: none. */
  readsNext?(event: Event, read: ReadDocument): readonly DocumentKey[];
  apply(event: Event, read: ReadDocument): readonly DocumentChange[];
  /** See {@link Projection}. */
  hasLost?(event: Event, read: ReadDocument): boolean;
}>;

/** A handler that reads no documents may be a plain function. */
type HandlerOrFunction<Event> = Handler<Event> | ((event: Event) => readonly DocumentChange[]);

/** One handler for every event type. A missing or misspelt type does not compile. */
export type Handlers<E extends DomainEvent> = { readonly [Type in E['type']]: HandlerOrFunction<EventOf<Extract<E, { type: Type }>>> };

const isList = (reference: References[string]): reference is readonly DocumentRef<unknown>[] => Array.isArray(reference);

const referred = ({ collection, key, form }: DocumentKey, read: ReadDocument): unknown =>
  form === 'lazy' ? () => read(collection, key, form) : read(collection, key, form);

const documentsOf = <R extends References>(named: R, read: ReadDocument): DocumentsOf<R> => {
  const documents: Record<string, unknown> = {};
  for (const name in named) {
    const reference: References[string] | undefined = named[name];
    if (reference === undefined) continue;
    documents[name] = isList(reference) ? reference.map((one) => referred(one, read)) : referred(reference, read);
  }
  return documents as DocumentsOf<R>;
};

/**
 * A handler that reads documents. `references` declares them by name (state its event type, `EventOf<…>`), `apply` and `hasLost` receive them by
 * name.
 */
export const reading = <Event, R extends References>(
  references: (event: Event) => R,
  apply: (event: Event, documents: DocumentsOf<R>, references: R) => readonly DocumentChange[],
  hasLost?: (event: Event, documents: DocumentsOf<R>) => boolean,
): Handler<Event> => ({
  reads: (event) => {
    const keys: DocumentKey[] = [];
    const named: References = references(event);
    for (const name in named) {
      const reference = named[name];
      if (reference === undefined) continue;
      if (isList(reference)) keys.push(...reference);
      else keys.push(reference);
    }
    return keys;
  },
  apply: (event, read) => {
    const named = references(event);
    return apply(event, documentsOf(named, read), named);
  },
  ...(hasLost && { hasLost: (event: Event, read: ReadDocument) => hasLost(event, documentsOf(references(event), read)) }),
});

/** For {@link NeededStreams}: the stream of each project, which an event of this type begins. */
export const ofProjects =
  (type: string, stream: (projectId: string) => string): NeededStreams['namedBy'] =>
  (event) =>
    event.type === type ? stream(String(event.data.projectId)) : undefined;

type ReadModelDefinition = Readonly<{
  /** Must not change, because it names the checkpoint and the documents, for example `status.tenants`. */
  name: string;
  /** Raised by hand when handlers or documents change. The new version is built beside the old one and then replaces it. */
  version: number;
  /** The oldest version whose documents the queries can read. Older ones are not shown while this version is built. Default: 1. */
  readsFrom?: number;
  /** `in-documents`: the documents carry positions, and queries follow `ReadView.asOf`. Default: the store keeps versions. */
  past?: Projection['past'];
  service: ServiceName;
  /** See {@link Projection}. Default: it is not needed. */
  needed?: Projection['needed'];
  /** Stream categories that it reads. */
  categories: readonly string[];
  collections: readonly AnyCollection[];
  /** The partitions that an event touches (docs/decisions/0018). If it names none, its stream is used. */
  partitionsOf: PartitionsOf;
}>;

const NO_READS: readonly DocumentKey[] = [];

const handlerOf = (handler: HandlerOrFunction<never>): Handler<unknown> =>
  (typeof handler === 'function' ? { reads: () => NO_READS, apply: handler } : handler) as Handler<unknown>;

const partitionsOf = ({ collections, partitionsOf: ofEvent }: ReadModelDefinition): Partitioning => {
  const owners: Record<string, Owner> = {};
  for (const { name, owner } of collections) if (owner) owners[name] = owner;
  return { ofEvent: orStream(ofEvent), owners, contested: collections.filter(({ contested }) => contested).map(({ name }) => name) };
};

const present = <Value>(entries: readonly (readonly [string, Value | undefined])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/**
 * A read model: its definition, its collections, and a handler per event type. The handled events, the documents they read and the storage of
 * documents are all derived from these.
 */
export const readModel = <E extends DomainEvent>(definition: ReadModelDefinition, handlers: Handlers<E>): Projection => {
  const { name, version, readsFrom, past, service, needed, categories, collections } = definition;
  const byType = new Map(Object.entries<HandlerOrFunction<never>>(handlers).map(([type, handler]) => [type, handlerOf(handler)]));
  const handlerFor = ({ type }: ProjectedEvent): Handler<unknown> => {
    const handler = byType.get(type);
    if (!handler) throw new Error(`read model ${name} has no handler for ${type}`);
    return handler;
  };
  return {
    name,
    version,
    ...(readsFrom !== undefined && { readsFrom }),
    ...(past && { past }),
    service,
    ...(needed && { needed }),
    categories,
    handles: new Set(byType.keys()),
    codecs: present(collections.map((one) => [one.name, one.codec])),
    ...(collections.some(({ sealed }) => sealed) && { sealed: present(collections.map((one) => [one.name, one.sealed])) }),
    ...(collections.some(({ marks }) => marks) && { marks: present(collections.map((one) => [one.name, one.marks])) }),
    ...(collections.some(({ expiring }) => expiring) && {
      expiring: collections.filter(({ expiring }) => expiring).map((one) => one.name),
    }),
    partitions: partitionsOf(definition),
    reads: (event) => handlerFor(event).reads(event),
    ...([...byType.values()].some(({ readsNext }) => readsNext) && {
      readsNext: (event: ProjectedEvent, read: ReadDocument) => handlerFor(event).readsNext?.(event, read) ?? NO_READS,
    }),
    apply: (event, read) => handlerFor(event).apply(event, read),
    ...([...byType.values()].some(({ hasLost }) => hasLost) && {
      hasLost: (event: ProjectedEvent, read: ReadDocument) => handlerFor(event).hasLost?.(event, read) ?? false,
    }),
  };
};
