import type { JsonObject } from '#domain/shared/events.js';
import { jcs } from '#domain/shared/json/jcs.js';

/**
 * An event as the log holds it, without its places in one log (`index`, `position`) and its hash: what a leaf of the chain is made of, and what
 * proofs and exports show. It is the same on every store. Sealed members stand as ciphertext. `revision` is below 2^53.
 */
export type StoredForm = Readonly<{ data: JsonObject; id: string; metadata: JsonObject; revision: number; stream: string; type: string }>;

/** What is hashed into the leaf of a stored form: RFC 9162 2.1.1, `0x00 ‖ JCS(stored form)`. Further members of the argument do not count. */
export const leafText = ({ data, id, metadata, revision, stream, type }: StoredForm): string =>
  `\u0000${jcs({ data, id, metadata, revision, stream, type })}`;
