import type { RedisConnection } from '#infra/stores/read-store/redis/connection/connection.js';
import type { Namespace, Progress, Token } from '#projections/shared/read-store.js';
import type { ProjectionKeys } from './keys.js';

const SLOTS = ['a', 'b'] as const;
const FIELDS = ['generation', 'version', 'checkpoint', 'documents', 'origin', 'marks', 'unfinished'] as const;

/** Stored state of a build, apart from its documents. `isUnfinished`: a large commit is effective but not completely carried out. */
export type StoredBuild = Omit<Namespace, 'projection'> &
  Progress &
  Token &
  Readonly<{ documents: number; isUnfinished: boolean; isServed: boolean }>;

/** The builds of a projection. @throws ReadStoreUnavailable */
export const readBuilds = async (connection: RedisConnection, keys: ProjectionKeys): Promise<readonly StoredBuild[]> => {
  const names = SLOTS.flatMap((slot) => FIELDS.map((field) => `${slot}.${field}`));
  const [served, ...fields] = await connection.command<readonly (Buffer | null)[]>(['HMGET', keys.meta, 'served', ...names]);
  const texts = fields.map((field) => field?.toString());
  return SLOTS.flatMap((slot, n): StoredBuild[] => {
    const [generation, version, checkpoint, documents, origin, token = '', unfinished] = texts.slice(n * FIELDS.length);
    if (!generation || !version || !checkpoint || !documents) return [];
    const numbers = { generation: Number(generation), version: Number(version), documents: Number(documents) };
    const isUnfinished = unfinished !== undefined;
    return [
      {
        slot,
        ...numbers,
        checkpoint: BigInt(checkpoint),
        origin: origin ?? null,
        token,
        isUnfinished,
        isServed: served?.toString() === slot,
      },
    ];
  });
};

/** The served build. @throws ReadStoreUnavailable */
export const readServed = async (connection: RedisConnection, keys: ProjectionKeys): Promise<StoredBuild | undefined> =>
  (await readBuilds(connection, keys)).find(({ isServed }) => isServed);
