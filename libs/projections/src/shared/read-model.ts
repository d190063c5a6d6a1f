import type { DomainEvent, RecordedEvent, ServiceName } from '#domain/shared/events.js';
import type { AnyCollection, DocumentRef } from './collection.js';
import { type Owner, orStream, type Partitioning } from './partitions.js';
import type { DocumentChange, DocumentKey, ProjectedEvent, Projection, ReadDocument } from './projection.js';

/** A recorded event of a union of domain events, told apart by its type. */
export type EventOf<E extends DomainEvent> = E extends DomainEvent ? Omit<RecordedEvent, 'type' | 'data'> & E : never;

/** Documents that a handler reads, under names of its own: one, or several in a list. */
type References = Readonly<Record<string, DocumentRef<unknown> | readonly DocumentRef<unknown>[]>>;

type Referred<Reference> = Reference extends DocumentRef<infer Document> ? Document | undefined : never;

/** The documents behind the references, as earlier events left them; `undefined` where there is none. */
type DocumentsOf<R extends References> = {
  readonly [Name in keyof R]: R[Name] extends readonly (infer Item)[] ? readonly Referred<Item>[] : Referred<R[Name]>;
};

/** What one type of event does to the documents. Never changes a document it read: it puts a new one. */
export type Handler<Event> = Readonly<{
  reads(event: Event): readonly DocumentKey[];
  apply(event: Event, read: ReadDocument): readonly DocumentChange[];
}>;

/** A handler that reads no documents may be a plain function. */
type HandlerOrFunction<Event> = Handler<Event> | ((event: Event) => readonly DocumentChange[]);

/** One handler for every type of event: a missing or misspelt one does not compile. */
export type Handlers<E extends DomainEvent> = { readonly [Type in E['type']]: HandlerOrFunction<EventOf<Extract<E, { type: Type }>>> };

const isList = (reference: References[string]): reference is readonly DocumentRef<unknown>[] => Array.isArray(reference);

/** A handler that reads documents: `references` names them (say the type of its event, `EventOf<…>`), `apply` gets them under the same names. */
export const reading = <Event, R extends References>(
  references: (event: Event) => R,
  apply: (event: Event, documents: DocumentsOf<R>, references: R) => readonly DocumentChange[],
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
    const documents: Record<string, unknown> = {};
    for (const name in named) {
      const reference: References[string] | undefined = named[name];
      if (reference === undefined) continue;
      documents[name] = isList(reference)
        ? reference.map(({ collection, key }) => read(collection, key))
        : read(reference.collection, reference.key);
    }
    return apply(event, documents as DocumentsOf<R>, named);
  },
});

type ReadModelDefinition = Readonly<{
  /** Stable: names the checkpoint and the documents, for example `status.tenants`. */
  name: string;
  /** Raised by hand whenever handlers or documents change: the new version is built beside the old one, then takes over. */
  version: number;
  /** The oldest version whose documents the queries can read; older ones are not shown while this version is built. Default 1. */
  readsFrom?: number;
  service: ServiceName;
  /** Stream categories it reads. */
  categories: readonly string[];
  /** Every collection of the read model. */
  collections: readonly AnyCollection[];
  /**
   * The partitions that an event touches (docs/decisions/0018); none when it does not tell: then its stream stands for them. Without: an event that fails
   * stops the read model as a whole.
   */
  partitionsOf?: Partitioning['ofEvent'];
}>;

const NO_READS: readonly DocumentKey[] = [];

const handlerOf = (handler: HandlerOrFunction<never>): Handler<unknown> =>
  (typeof handler === 'function' ? { reads: () => NO_READS, apply: handler } : handler) as Handler<unknown>;

const partitionsOf = ({ collections, partitionsOf: ofEvent }: ReadModelDefinition): Partitioning | undefined => {
  if (!ofEvent) return undefined;
  const owners: Record<string, Owner> = {};
  for (const { name, owner } of collections) if (owner) owners[name] = owner;
  return { ofEvent: orStream(ofEvent), owners, contested: collections.filter(({ contested }) => contested).map(({ name }) => name) };
};

const present = <Value>(entries: readonly (readonly [string, Value | undefined])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/**
 * A read model: what it is called, its collections, and what each type of event does to them. Which events it handles, which documents they read and
 * how the documents are stored all follow from these.
 */
export const readModel = <E extends DomainEvent>(definition: ReadModelDefinition, handlers: Handlers<E>): Projection => {
  const { name, version, readsFrom, service, categories, collections } = definition;
  const byType = new Map(Object.entries<HandlerOrFunction<never>>(handlers).map(([type, handler]) => [type, handlerOf(handler)]));
  const handlerFor = ({ type }: ProjectedEvent): Handler<unknown> => {
    const handler = byType.get(type);
    if (!handler) throw new Error(`read model ${name} has no handler for ${type}`);
    return handler;
  };
  const partitions = partitionsOf(definition);
  return {
    name,
    version,
    ...(readsFrom !== undefined && { readsFrom }),
    service,
    categories,
    handles: new Set(byType.keys()),
    codecs: present(collections.map((one) => [one.name, one.codec])),
    ...(collections.some(({ sealed }) => sealed) && { sealed: present(collections.map((one) => [one.name, one.sealed])) }),
    ...(collections.some(({ marks }) => marks) && { marks: present(collections.map((one) => [one.name, one.marks])) }),
    ...(partitions && { partitions }),
    reads: (event) => handlerFor(event).reads(event),
    apply: (event, read) => handlerFor(event).apply(event, read),
  };
};
