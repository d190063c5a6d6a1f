import type { JsonObject, RecordedEvent } from './events.js';

/** A record that an auditor may ask for: operations contract 2, "Resources". `scope`: id of the project or tenant that its id belongs to. */
export type ResourceReference = Readonly<{ service: string; kind: string; id: string; scope?: string }>;

/**
 * Change of a record's member by an event. `name`: the new name of the record, if auditors may ask by it. `owners`: records whose deletion also deletes
 * this one. `ends`: the record is deleted with everything it owns. `beside`: the event is about another record; if an event about this record was appended
 * with it, that event is the version.
 */
export type ResourceChange = ResourceReference &
  Readonly<{ name?: string; owners?: readonly ResourceReference[]; ends?: true; beside?: true }>;

/** Records that a type of event changes. */
export type Mapping = (event: Pick<RecordedEvent, 'stream' | 'type' | 'data'>) => readonly ResourceChange[];

/** The event changes no record that auditors may ask for. Its data appear in the lists of events. */
export const none: Mapping = () => [];

/** The same changes, as deletions. */
export const ended =
  (changes: Mapping): Mapping =>
  (event) =>
    changes(event).map((change) => ({ ...change, ends: true }));

export const text = (data: JsonObject, member: string): string => String(data[member] ?? '');

/** The part of a stream name after the category. */
export const streamId = ({ stream }: Pick<RecordedEvent, 'stream'>): string => stream.slice(stream.indexOf('-') + 1);
