import type { Pseudonym } from '#domain/shared/catalogue.js';
import { categoryOf, type DomainEvent, type Json, type JsonObject, type RecordedEvent } from '#domain/shared/events.js';
import { type OpenKeys, openKeysOf } from '#infra/secrets/open-keys.js';
import type { SubjectKeys } from '#infra/secrets/subject-keys.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';
import { jsonBytes, jsonCopy } from './json.js';
import { hasAt, type MemberPath, mapAt, memberPath } from './member-paths.js';
import { type Catalogues, EventSchemas } from './schemas.js';
import { escapeMembers, openMembers, sealMembers, subjectsOf } from './sealed-members.js';

/** An event between the decider and the log: a copy of its own, in the current shape, still readable. */
export type EncodedEvent = Readonly<{
  type: string;
  schemaVersion: number;
  data: JsonObject;
  /** About as many bytes as its data will take in the log. */
  bytes: number;
  /** What has to be sealed before it is stored: what these paths lead to, with the key of a subject. */
  secret?: Readonly<{ subject: string; members: readonly string[] }>;
}>;

/** Base64 and the frame of a sealed member, generously. */
const SEALED_GROWTH = 1.4;

/**
 * Between events as the domain speaks of them and as the log stores them: old shapes are lifted by the catalogue's upcasters, sensitive
 * members are sealed with their subject's key, unless they are `null`, which needs no key. Members are opened before upcasters run, so an
 * upcaster meets `null` where a key is gone. Pseudonyms of sealed texts are added on the way to the log, and to older events on the way back.
 *
 * No promise is made as long as no key has to be fetched from the log.
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
    const bytes = jsonBytes(event.data);
    const data = this.withPseudonyms(jsonCopy(event.data), pseudonyms);
    const encoded = { type: event.type, schemaVersion: version, data, bytes };
    const members = sensitive?.members.filter((path) => hasAt(data, memberPath(path))) ?? [];
    if (!sensitive || members.length === 0) return encoded;
    return {
      ...encoded,
      bytes: Math.ceil(bytes * SEALED_GROWTH) + members.length * 150,
      secret: { subject: sensitive.subject(data), members },
    };
  }

  /** The data as the log stores them. Rejects with SubjectKeyDestroyed when the subject has been forgotten. */
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

  /** In the order given. Keys that are not in memory are fetched side by side, each once. Fails as `decode` does. */
  decodeAll(events: readonly RecordedEvent[]): readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]> {
    const keys = openKeysOf(
      this.keys,
      events.flatMap((event) => subjectsOf(event.data) ?? []),
    );
    const open = (found: OpenKeys): readonly ProjectedEvent[] => events.map((event) => this.open(event, found));
    return keys instanceof Promise ? keys.then(open) : open(keys);
  }

  private open(event: RecordedEvent, keys: OpenKeys): ProjectedEvent {
    return this.lift(event, subjectsOf(event.data) ? openMembers(event.type, event.data, keys) : event.data);
  }

  private lift(event: RecordedEvent, opened: JsonObject): ProjectedEvent {
    const lifted = this.schemas.upcastersFor(event).reduce((old, upcast) => upcast(old), opened);
    const data = this.withPseudonyms(lifted, this.schemas.find(categoryOf(event.stream), event.type).pseudonyms);
    return data === event.data ? event : { ...event, data };
  }

  /** The same object where there is nothing to add. */
  private withPseudonyms(data: JsonObject, pseudonyms: readonly Pseudonym[] = []): JsonObject {
    return pseudonyms.reduce((before, pseudonym) => this.withPseudonym(before, pseudonym), data);
  }

  private withPseudonym(data: JsonObject, { of, as, within }: Pseudonym): JsonObject {
    const path = memberPath(of);
    const text = valueAt(data, path);
    if (typeof text !== 'string' || text === '') return data;
    const place = path.slice(0, -1);
    if (valueAt(data, [...place, as]) !== undefined) return data;
    const made = this.keys.pseudonyms.of(text, String(valueAt(data, memberPath(within))));
    return mapAt(data, place, (holder) => ({ ...(holder as JsonObject), [as]: made })) as JsonObject;
  }
}

const valueAt = (data: JsonObject, path: MemberPath): Json | undefined => {
  let found: Json | undefined;
  mapAt(data, path, (value) => {
    found = value;
    return value;
  });
  return found;
};
