import { isChained } from '#domain/integrity/chained.js';
import { ANCHORS_CATEGORY, LEAVES_CATEGORY, MAX_LEAVES, SIGNING_KEYS_CATEGORY } from '#domain/integrity/integrity-events.js';
import { ACCESS_KEYS_CATEGORY, isKeyRole, isKeyService } from '#domain/operations/access-keys.js';
import { CERTIFICATES_CATEGORY } from '#domain/operations/certificates.js';
import { LOG_CATEGORY } from '#domain/operations/log-events.js';
import type { EventCatalogue } from '#domain/shared/catalogue.js';
import { categoryOf, type JsonObject, UNREADABLE } from '#domain/shared/events.js';
import { type Catalogues, EventSchemas, UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import { isStreamName } from '#infra/stores/event-store/embedded/appends/prepare-append.js';
import { isMetadata } from '#infra/stores/event-store/metadata-form.js';
import { isCredentialHash, isPlainHash } from '#infra/stores/secrets/credential-hashes.js';
import { keyEvents, MASTER_CATEGORY } from '#infra/stores/secrets/key-events.js';
import type { EventLine } from './export-lines.js';

/** More than any stream of an installation has: a file must not make an import count up to a larger revision. */
const MAX_REVISION = 2 ** 40;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = /^[0-]+$/;
const HASH = /^[0-9a-f]{64}$/;

export const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);
export const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isPlace = (value: unknown): value is number => isCount(value) && value <= MAX_REVISION;

/** Categories with a single stream. Events in another stream of them would count in one read model and nowhere else. */
const SINGLE: readonly string[] = [
  ACCESS_KEYS_CATEGORY,
  CERTIFICATES_CATEGORY,
  LOG_CATEGORY,
  LEAVES_CATEGORY,
  ANCHORS_CATEGORY,
  SIGNING_KEYS_CATEGORY,
  MASTER_CATEGORY,
];

/** Finds flaws of an event in a foreign file, before any comparison. A flaw is a clause after the line number. */
export class EventFlaws {
  private readonly schemas: EventSchemas;

  /**
   * @param catalogues all event types of the log except those of subjects' keys
   * @param isOwnLog whether the events are already in the log of this installation: their types may then be unknown. Default false.
   */
  constructor(
    private readonly catalogues: Catalogues,
    private readonly isOwnLog = false,
  ) {
    this.schemas = new EventSchemas({ ...catalogues, ...keyEvents });
  }

  of({ stream, revision, id, type, metadata, data }: EventLine): string | undefined {
    const category = categoryOf(stream);
    if (!isStreamName(stream) || (SINGLE.includes(category) && stream !== `${category}-global`))
      return 'is of a stream that Logbook does not have';
    if (!isPlace(revision)) return `has revision ${revision}, which no event has`;
    if (!UUID.test(id) || NIL_UUID.test(id)) return 'has an id that is no UUID';
    if (!isMetadata(metadata)) return 'has metadata that no event has';
    if (type === UNREADABLE) return isChained(stream) && isUnreadable(data) ? undefined : 'has data that no such event has';
    return (
      this.flawOfType(category, type, Number(metadata.schemaVersion)) ??
      (isData(category, type, data) ? undefined : 'has data that no such event has')
    );
  }

  /** Returns whether a member holds the plain hash of a credential, as stored by releases before the chain. */
  hasPlainHash({ stream, type, data }: EventLine): boolean {
    const { marks = {} } = this.catalogueOf(categoryOf(stream))[type] ?? {};
    return Object.entries(marks).some(([member, mark]) => mark === 'hash' && isPlainHash(data[member]));
  }

  private catalogueOf(category: string): EventCatalogue {
    return Object.hasOwn(this.catalogues, category) ? (this.catalogues[category] ?? {}) : {};
  }

  private flawOfType(category: string, type: string, schemaVersion: number): string | undefined {
    if (this.isOwnLog) return undefined;
    try {
      const { version = 1 } = this.schemas.find(category, type);
      return schemaVersion > version ? `is of version ${schemaVersion} of its type, this release knows ${version}` : undefined;
    } catch (error) {
      if (error instanceof UnknownEventType) return 'is of a type that this release does not know in such a stream';
      throw error;
    }
  }
}

const isUnreadable = ({ reason, type, data, metadata, ...others }: JsonObject): boolean =>
  [reason, type, data, metadata].every((text) => typeof text === 'string') && Object.keys(others).length === 0;

/** Checks data that the program reads without a catalogue, and data that decide who is an operator. */
const isData = (category: string, type: string, data: JsonObject): boolean => {
  switch (category) {
    case LEAVES_CATEGORY:
      return isLeaves(data);
    case ANCHORS_CATEGORY:
      return isAnchor(data);
    case SIGNING_KEYS_CATEGORY:
      return isText(data.keyId);
    case ACCESS_KEYS_CATEGORY:
      return isAccessKey(type, data);
    default:
      return true;
  }
};

const isAccessKey = (type: string, data: JsonObject): boolean => {
  if (type !== 'AccessKeyIssued') return type !== 'AccessKeyRevoked' || isKeyId(data.keyId);
  const { keyId, service, roles, name, keyHash } = data;
  if (!isKeyId(keyId) || !isText(service) || !isKeyService(service) || !isCredentialHash(keyHash)) return false;
  return typeof name === 'string' && Array.isArray(roles) && roles.every((role) => isText(role) && isKeyRole(service, role));
};

const isKeyId = (value: unknown): boolean => isText(value) && UUID.test(value);

const isLeaves = (data: JsonObject): boolean => {
  const { from, count, leaves, streams, runs, time, frontier } = data;
  if (!isCount(from) || !isCount(count) || count < 1 || count > MAX_LEAVES) return false;
  if (![leaves, time, frontier].every(isText) || !Array.isArray(streams) || !Array.isArray(runs) || !runs.every(isPlace)) return false;
  if (runs.length % 3 !== 0 || streams.length > count || !streams.every((name) => isText(name) && isStreamName(name))) return false;
  const names = runs.filter((_, at) => at % 3 === 0);
  const counted = runs.filter((_, at) => at % 3 === 2).reduce((sum, one) => sum + one, 0);
  return names.every((name) => name < streams.length) && counted === count;
};

const isAnchor = (data: JsonObject): boolean => {
  const { size, root, time, position, keyId, text, signature } = data;
  return isCount(size) && isHash(root) && [time, position, keyId, text, signature].every(isText);
};
