import { get } from '../api/client.js';
import type { AnswerOf } from '../api/types.js';

/**
 * Position of the newest event: reads of auditors in the services are always as of a point of the log, and those of one picture as of the same.
 * @throws ApiError
 */
const headOfLog = async (signal?: AbortSignal): Promise<string> => {
  const { head } = await get<AnswerOf<'/ops/log'>>('/ops/log', {}, { signal });
  return `${head}`;
};

/** Point of the log that a view reads: the chosen one, or for now the newest. @throws ApiError */
export const momentOf = async (asOf: string | undefined, signal?: AbortSignal): Promise<string> => asOf ?? headOfLog(signal);
