import type { Position } from '#domain/shared/events.js';
import type { RedisConnection } from '#infra/stores/read-store/redis/connection/connection.js';
import type { Namespace, Progress } from '#projections/shared/read-store.js';
import type { ProjectionKeys } from './keys.js';

type Fields = readonly (Buffer | null)[];

const FIELDS = ['generation', 'version', 'checkpoint', 'documents', 'marks', 'unfinished'] as const;

/** The served build. */
type Served = Readonly<{
  slot: Namespace['slot'];
  generation: number;
  version: number;
  checkpoint: Position;
  documents: number;
  token: string;
  /** A large commit is effective but not completely carried out. */
  isUnfinished: boolean;
}>;

/** @throws ReadStoreUnavailable */
export const readServed = async (connection: RedisConnection, keys: ProjectionKeys): Promise<Served | null> => {
  const ofSlots = (['a', 'b'] as const).flatMap((slot) => FIELDS.map((field) => `${slot}.${field}`));
  const [served, ...fields] = await connection.command<Fields>(['HMGET', keys.meta, 'served', ...ofSlots]);
  const slot = served?.toString();
  if (slot !== 'a' && slot !== 'b') return null;
  const [generation, version, checkpoint, documents, token, unfinished] = fields.slice(slot === 'a' ? 0 : FIELDS.length);
  if (!generation || !version || !checkpoint || !documents) return null;
  return {
    slot,
    generation: Number(generation.toString()),
    version: Number(version.toString()),
    checkpoint: BigInt(checkpoint.toString()),
    documents: Number(documents.toString()),
    token: token?.toString() ?? '',
    isUnfinished: unfinished !== null && unfinished !== undefined,
  };
};

/** Stored state of a namespace apart from its documents. */
export type StoredProgress = Progress & Pick<Served, 'token'> & Readonly<{ isServed: boolean }>;

/** Progress of a namespace; `null` if it was replaced. @throws ReadStoreUnavailable */
export const readProgress = async (
  connection: RedisConnection,
  keys: ProjectionKeys,
  { slot, generation }: Namespace,
): Promise<StoredProgress | null> => {
  const fields = ['generation', 'checkpoint', 'origin', 'marks'].map((field) => `${slot}.${field}`);
  const [served, found, checkpoint, origin, token] = await connection.command<Fields>(['HMGET', keys.meta, 'served', ...fields]);
  if (!checkpoint || found?.toString() !== String(generation)) return null;
  return {
    checkpoint: BigInt(checkpoint.toString()),
    origin: origin?.toString() ?? null,
    token: token?.toString() ?? '',
    isServed: served?.toString() === slot,
  };
};
