import type { JsonObject } from '#domain/shared/events.js';
import { jcs } from '#domain/shared/json/jcs.js';

/**
 * An event as the log holds it, without its places in one log (`index`, `position`) and its hash: what a leaf of the chain is made of, and what
 * proofs and exports show. It is the same on every store. Sealed members stand as ciphertext. `revision` is below 2^53.
 */
export type StoredForm = Readonly<{ data: JsonObject; id: string; metadata: JsonObject; revision: number; stream: string; type: string }>;

/** The start of {@link leafText}: all that does not change when an event is moved. */
export const leafTextBeforePlace = ({ data, id, metadata }: Pick<StoredForm, 'data' | 'id' | 'metadata'>): string =>
  `\u0000{"data":${jcs(data)},"id":${jcs(id)},"metadata":${jcs(metadata)},"revision":`;

/** The rest of {@link leafText}. */
export const leafTextFromPlace = ({ revision, stream, type }: Pick<StoredForm, 'revision' | 'stream' | 'type'>): string =>
  `${jcs(revision)},"stream":${jcs(stream)},"type":${jcs(type)}}`;

/** Text that is hashed into the leaf of a stored form: RFC 9162 2.1.1, `0x00 ‖ JCS(stored form)`. Further members of the argument do not count. */
export const leafText = (form: StoredForm): string => leafTextBeforePlace(form) + leafTextFromPlace(form);
