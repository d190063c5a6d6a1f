import type { PublicKey } from '#domain/integrity/proof.js';
import { get, pathOf } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { download } from '../../parts/download.js';
import { counted } from '../../parts/figures.js';

type Proof = AnswerOf<'/audit/events/{index}/proof'>;

/** @returns `undefined` while no anchor covers the event @throws ApiError, also where there is no such event */
export const loadProof = async (index: string, signal?: AbortSignal): Promise<Proof | undefined> => {
  const newest = await get<AnswerOf<'/audit/anchors'>>('/audit/anchors', { order: 'desc', limit: 1 }, { signal });
  if (Number(index) < (newest.items[0]?.size ?? 0)) return get<Proof>(pathOf('/audit/events', index, 'proof'), {}, { signal });
  await get(pathOf('/audit/events', index), {}, { signal });
  return undefined;
};

export const notCovered = (index: string): string => `No anchor covers event ${index} yet`;

/** As a file. @returns what was done */
export const keepProof = (proof: Proof): string => {
  download(`proof-${proof.index}.json`, 'application/json', JSON.stringify(proof, null, 2));
  return `Downloaded the proof of event ${proof.index} in the log of ${counted(proof.size, 'event')}`;
};

/** Public keys of this server. @throws ApiError */
export const loadKeys = async (signal: AbortSignal): Promise<readonly PublicKey[]> => {
  const { keys } = await get<AnswerOf<'/audit/keys'>>('/audit/keys', {}, { signal });
  return keys.map(({ kid = '', x = '' }) => ({ kid, x }));
};
