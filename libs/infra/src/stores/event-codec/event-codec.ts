import type { Pseudonym } from '#domain/shared/catalogue.js';
import { categoryOf, type DomainEvent, type EventMetadata, type Json, type JsonObject, type RecordedEvent } from '#domain/shared/events.js';
import { ERASED, isEmpty, type Mark, type Marks, type MarkVisibility, shownAs } from '#domain/shared/marks.js';
import { type OpenKeys, openKeysOf } from '#infra/stores/secrets/open-keys.js';
import type { SubjectKeys } from '#infra/stores/secrets/subject-keys.js';
import { ERASED_VALUE, isErased } from '#projections/shared/erased.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';
import { loggedJson } from './json.js';
import { hasAt, type MemberPath, mapAt, memberPath } from './member-paths.js';
import { type Catalogues, EventSchemas } from './schemas.js';
import { type Erased, escapeMembers, openMembers, sealMembers, subjectsOf } from './sealed-members.js';

/** An event on its way to the log: its data in the current schema version, not yet sealed. */
export type EncodedEvent = Readonly<{
  type: string;
  schemaVersion: number;
  data: JsonObject;
  /** The data as compact JSON. */
  dataText: string;
  /** Estimated size of the data in the log. */
  bytes: number;
  /** Paths of the members to seal before the event is stored, and the subject whose key seals them. */
  secret?: Readonly<{ subject: string; members: readonly string[] }>;
}>;

/** Growth caused by base64 and the wrapper of a sealed member, rounded up. */
const SEALED_GROWTH = 1.4;

/**
 * Converts events between the domain form and the stored form. Upcasters of the catalogue convert older schema versions. Sensitive members
 * are sealed with the key of their subject, except `null`, which needs no key. Members are opened before upcasters run, so that an upcaster
 * finds `null` where a key is destroyed. Pseudonyms of sealed texts are added when an event is written, and when an older event is read.
 *
 * Methods return a promise only if a key must be read from the log.
 */
export class EventCodec {
  private readonly schemas: EventSchemas;

  constructor(
    catalogues: Catalogues,
    private readonly keys: SubjectKeys,
  ) {
    this.schemas = new EventSchemas(catalogues);
  }

  /** @throws UnknownEventType; TypeError when the data are not JSON */
  encode(category: string, event: DomainEvent): EncodedEvent {
    const { version = 1, sensitive, pseudonyms } = this.schemas.find(category, event.type);
    const data = this.withPseudonyms(loggedJson(event.data), pseudonyms);
    const dataText = JSON.stringify(data);
    const bytes = Buffer.byteLength(dataText);
    const encoded = { type: event.type, schemaVersion: version, data, dataText, bytes };
    const members = sensitive?.members.filter((path) => hasAt(data, memberPath(path))) ?? [];
    if (!sensitive || members.length === 0) return encoded;
    return {
      ...encoded,
      bytes: Math.ceil(bytes * SEALED_GROWTH) + members.length * 150,
      secret: { subject: sensitive.subject(data), members },
    };
  }

  /** Returns the stored form of the data. Rejects with SubjectKeyDestroyed if the subject has been erased. */
  seal({ type, data, secret }: EncodedEvent): JsonObject | Promise<JsonObject> {
    const escaped = escapeMembers(data, secret?.members ?? []);
    if (!secret) return escaped;
    const sealWith = (key: Buffer): JsonObject => sealMembers(type, escaped, secret.members, key, secret.subject);
    const key = this.keys.cached(secret.subject);
    return key ? sealWith(key) : this.keys.obtain(secret.subject).then(sealWith);
  }

  /** @throws (or rejects with) UnknownEventType, SealBroken, WrongMasterKey, EventStoreUnavailable */
  decode(event: RecordedEvent): ProjectedEvent | Promise<ProjectedEvent> {
    const subjects = subjectsOf(event.data);
    if (!subjects) return this.lift(event, event.data);
    const keys = openKeysOf(this.keys, subjects);
    return keys instanceof Promise ? keys.then((found) => this.open(event, found)) : this.open(event, keys);
  }

  /** Decodes events in the given order. Missing keys are fetched in parallel, each once. Fails as `decode` does. */
  decodeAll(events: readonly RecordedEvent[]): readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]> {
    return this.openAll(events, (event, keys) => this.open(event, keys));
  }

  /** The same for projections: members that are not empty have {@link ERASED_VALUE} in place of `null` if their key is destroyed. */
  decodeToApply(events: readonly RecordedEvent[]): readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]> {
    return this.openAll(events, (event, keys) => this.openToApply(event, keys));
  }

  private openAll(
    events: readonly RecordedEvent[],
    openOne: (event: RecordedEvent, keys: OpenKeys) => ProjectedEvent,
  ): readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]> {
    const keys = openKeysOf(
      this.keys,
      events.flatMap((event) => subjectsOf(event.data) ?? []),
    );
    const open = (found: OpenKeys): readonly ProjectedEvent[] => events.map((event) => openOne(event, found));
    return keys instanceof Promise ? keys.then(open) : open(keys);
  }

  /**
   * Data as shown to auditors: in the current shape, with marks in place of secrets, personal data only on request, and marks for erased
   * values (operations contract 4). @throws as {@link decode}
   */
  async readable(event: RecordedEvent, shown: MarkVisibility): Promise<JsonObject> {
    const { version = 1, sensitive, marks = {} } = this.schemas.find(categoryOf(event.stream), event.type);
    const subjects = subjectsOf(event.data);
    const keys: OpenKeys = subjects ? await openKeysOf(this.keys, subjects) : new Map();
    // Upcasters expect `null` in place of erased values.
    const current = event.metadata.schemaVersion === version;
    const opened = subjects ? openMembers(event.type, event.data, keys, current ? erasedIn(marks, ERASED) : undefined) : event.data;
    const { data } = this.lift(event, opened);
    const gone = [...keys.values()].includes(null);
    const whole = gone && !current ? withErased(data, sensitive?.members ?? [], ERASED) : data;
    // For an erased subject, its credential hashes count as erased too.
    const show = (mark: Mark, value: Json): Json => (gone && mark === 'hash' && !isEmpty(value) ? ERASED : shownAs(mark, value, shown));
    return Object.entries(marks).reduce(
      (rest, [path, mark]) => mapAt(rest, memberPath(path), (value) => show(mark, value)) as JsonObject,
      whole,
    );
  }

  private open(event: RecordedEvent, keys: OpenKeys): ProjectedEvent {
    return this.lift(event, subjectsOf(event.data) ? openMembers(event.type, event.data, keys) : event.data);
  }

  private openToApply(event: RecordedEvent, keys: OpenKeys): ProjectedEvent {
    const subjects = subjectsOf(event.data);
    if (!subjects?.some((subject) => !keys.get(subject))) return this.open(event, keys);
    const { version = 1, sensitive, marks = {} } = this.schemas.find(categoryOf(event.stream), event.type);
    if (event.metadata.schemaVersion === version)
      return this.lift(event, openMembers(event.type, event.data, keys, erasedIn(marks, ERASED_VALUE)));
    const lifted = this.open(event, keys); // upcasters expect `null`
    return { ...lifted, data: withErased(lifted.data, sensitive?.members ?? [], ERASED_VALUE) };
  }

  private lift(event: RecordedEvent, opened: JsonObject): ProjectedEvent {
    const lifted = this.schemas.upcastersFor(event).reduce((old, upcast) => upcast(old), opened);
    const { pseudonyms, marks } = this.schemas.find(categoryOf(event.stream), event.type);
    const data = this.withKeyedHashes(this.withPseudonyms(lifted, pseudonyms), marks);
    const metadata = this.currentMetadata(event.metadata);
    return data === event.data && metadata === event.metadata ? event : { ...event, data, metadata };
  }

  /** Metadata with keyed hashes; earlier releases stored plain ones. Returns the same object if there is nothing to change. */
  currentMetadata(metadata: EventMetadata): EventMetadata {
    const { idempotency } = metadata;
    if (!idempotency) return metadata;
    const { credentialHashes } = this.keys;
    const [key, body] = [credentialHashes.keyed(idempotency.key), credentialHashes.keyed(idempotency.body)];
    return key === idempotency.key && body === idempotency.body ? metadata : { ...metadata, idempotency: { key, body } };
  }

  private withKeyedHashes(data: JsonObject, marks: Marks = {}): JsonObject {
    return Object.entries(marks).reduce((before, [path, mark]) => {
      if (mark !== 'hash') return before;
      const keyed = (found: Json): Json => (typeof found === 'string' ? this.keys.credentialHashes.keyed(found) : found);
      return mapAt(before, memberPath(path), keyed) as JsonObject;
    }, data);
  }

  /** Returns the same object if there is nothing to add. */
  private withPseudonyms(data: JsonObject, pseudonyms: readonly Pseudonym[] = []): JsonObject {
    return pseudonyms.reduce((before, pseudonym) => this.withPseudonym(before, pseudonym), data);
  }

  private withPseudonym(data: JsonObject, { of, as, within }: Pseudonym): JsonObject {
    const path = memberPath(of);
    const text = valueAt(data, path);
    if (typeof text !== 'string' || text === '' || isErased(text)) return data;
    const place = path.slice(0, -1);
    if (valueAt(data, [...place, as]) !== undefined) return data;
    const made = this.keys.pseudonyms.of(text, String(valueAt(data, memberPath(within))));
    return mapAt(data, place, (holder) => ({ ...(holder as JsonObject), [as]: made })) as JsonObject;
  }
}

/** Placeholder of an erased value. An empty value keeps its kind: a list if its mark is a function, otherwise a text. */
const erasedIn =
  (marks: Marks, erased: string): Erased =>
  (member, empty) => {
    if (!empty) return erased;
    return typeof marks[member] === 'function' ? [] : '';
  };

const withErased = (data: JsonObject, members: readonly string[], erased: string): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, value === null && members.includes(name) ? erased : value]));

const valueAt = (data: JsonObject, path: MemberPath): Json | undefined => {
  let found: Json | undefined;
  mapAt(data, path, (value) => {
    found = value;
    return value;
  });
  return found;
};
