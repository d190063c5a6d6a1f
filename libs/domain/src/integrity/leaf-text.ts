import type { JsonObject } from '#domain/shared/events.js';
import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { jcs } from '#domain/shared/json/jcs.js';

/**
 * Stored form of an event: the input of its leaf in the chain, and its form in proofs and exports. It leaves out its hash and its places in one log
 * (`index`, `position`), so it is the same on every store. Sealed members stay ciphertext. `revision` is below 2^53.
 */
export type StoredForm = Readonly<{ data: JsonObject; id: string; metadata: JsonObject; revision: number; stream: string; type: string }>;

/** Canonical texts of metadata. Events of an append share the object. */
const texts = new WeakMap<JsonObject, string>();

/** A proof to be checked may have anything in place of metadata. */
const metadataText = (metadata: JsonObject): string =>
  typeof metadata === 'object' && metadata !== null ? getOrInsert(texts, metadata, () => jcs(metadata)) : jcs(metadata);

/** Start of {@link leafText}: the part that does not change when an event is moved. */
export const leafTextBeforePlace = ({ data, id, metadata }: Pick<StoredForm, 'data' | 'id' | 'metadata'>): string =>
  `\u0000{"data":${jcs(data)},"id":${jcs(id)},"metadata":${metadataText(metadata)},"revision":`;

/** Rest of {@link leafText}. */
export const leafTextFromPlace = ({ revision, stream, type }: Pick<StoredForm, 'revision' | 'stream' | 'type'>): string =>
  `${jcs(revision)},"stream":${jcs(stream)},"type":${jcs(type)}}`;

/** Text that is hashed into the leaf of a stored form: RFC 9162 2.1.1, `0x00 ‖ JCS(stored form)`. Further members of the argument are ignored. */
export const leafText = (form: StoredForm): string => leafTextBeforePlace(form) + leafTextFromPlace(form);
