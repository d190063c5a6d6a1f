import type { JsonObject, RecordedEvent } from './events.js';

/** A record that an auditor may ask for: operations contract 2, "Resources". `scope`: id of the project or tenant that its id belongs to. */
export type ResourceReference = Readonly<{ service: string; kind: string; id: string; scope?: string }>;

/**
 * An event changed a member of a record. `name`: the one that the record bears from now on, where auditors may ask by it. `owners`: the records with
 * which it is deleted. `ends`: the record is deleted, and all that it owns. `beside`: the event is about another record; where one about this record
 * was appended with it, that one is the version.
 */
export type ResourceChange = ResourceReference &
  Readonly<{ name?: string; owners?: readonly ResourceReference[]; ends?: true; beside?: true }>;

/** Records that a type of event changes. */
export type Mapping = (event: RecordedEvent) => readonly ResourceChange[];

/** The event changes no record that auditors may ask for as such: its data are in the lists of events. */
export const none: Mapping = () => [];

/** The same records, which are deleted. */
export const ended =
  (changes: Mapping): Mapping =>
  (event) =>
    changes(event).map((change) => ({ ...change, ends: true }));

export const text = (data: JsonObject, member: string): string => String(data[member] ?? '');

/** Part of the name of a stream after its category. */
export const streamId = ({ stream }: Pick<RecordedEvent, 'stream'>): string => stream.slice(stream.indexOf('-') + 1);
