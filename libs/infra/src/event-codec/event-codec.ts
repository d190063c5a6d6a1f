import type { DomainEvent, JsonObject, RecordedEvent } from '#domain/shared/events.js';
import type { ProjectedEvent } from '#projections/shared/projection.js';
import type { SubjectKeys } from '../secrets/subject-keys.js';
import { jsonBytes, jsonCopy } from './json.js';
import { type Catalogues, EventSchemas } from './schemas.js';
import { escapeMembers, type OpenKeys, openMembers, sealMembers, subjectsOf } from './sealed-members.js';

/** An event between the decider and the log: a copy of its own, in the current shape, still readable. */
export type EncodedEvent = Readonly<{
  type: string;
  schemaVersion: number;
  data: JsonObject;
  /** About as many bytes as its data will take in the log. */
  bytes: number;
  /** What has to be sealed before it is stored: top-level members, with the key of a subject. */
  secret?: Readonly<{ subject: string; members: readonly string[] }>;
}>;

/** Base64 and the frame of a sealed member, generously. */
const SEALED_GROWTH = 1.4;

/**
 * Between events as the domain speaks of them and as the log stores them: old shapes are lifted by the catalogue's upcasters, sensitive
 * members are sealed with their subject's key, unless they are `null`, which needs no key. Members are opened before upcasters run, so an
 * upcaster meets `null` where a key is gone.
 *
 * No promise is made as long as no key has to be fetched from the log.
 */
export class EventCodec {
  readonly #schemas: EventSchemas;

  constructor(
    catalogues: Catalogues,
    private readonly keys: SubjectKeys,
  ) {
    this.#schemas = new EventSchemas(catalogues);
  }

  /** @throws UnknownEventType; TypeError when the data are not JSON */
  encode(category: string, event: DomainEvent): EncodedEvent {
    const { version = 1, sensitive } = this.#schemas.find(category, event.type);
    const bytes = jsonBytes(event.data);
    const data = jsonCopy(event.data);
    const encoded = { type: event.type, schemaVersion: version, data, bytes };
    const members = sensitive?.members.filter((member) => Object.hasOwn(data, member) && data[member] !== null) ?? [];
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
    if (!subjects) return this.#lift(event, event.data);
    const keys = this.#keysOf(subjects);
    return keys instanceof Promise ? keys.then((found) => this.#open(event, found)) : this.#open(event, keys);
  }

  /** In the order given. Keys that are not in memory are fetched side by side, each once. Fails as `decode` does. */
  decodeAll(events: readonly RecordedEvent[]): readonly ProjectedEvent[] | Promise<readonly ProjectedEvent[]> {
    const keys = this.#keysOf(events.flatMap((event) => subjectsOf(event.data) ?? []));
    const open = (found: OpenKeys): readonly ProjectedEvent[] => events.map((event) => this.#open(event, found));
    return keys instanceof Promise ? keys.then(open) : open(keys);
  }

  #open(event: RecordedEvent, keys: OpenKeys): ProjectedEvent {
    return this.#lift(event, subjectsOf(event.data) ? openMembers(event.type, event.data, keys) : event.data);
  }

  #lift(event: RecordedEvent, opened: JsonObject): ProjectedEvent {
    const data = this.#schemas.upcastersFor(event).reduce((old, upcast) => upcast(old), opened);
    return data === event.data ? event : { ...event, data };
  }

  #keysOf(subjects: readonly string[]): OpenKeys | Promise<OpenKeys> {
    const keys = new Map<string, Buffer | null>();
    const missing = new Set<string>();
    for (const subject of subjects) {
      const key = this.keys.cached(subject);
      if (key === undefined) missing.add(subject);
      else keys.set(subject, key);
    }
    if (missing.size === 0) return keys;
    return Promise.all([...missing].map(async (subject) => keys.set(subject, await this.keys.find(subject)))).then(() => keys);
  }
}
