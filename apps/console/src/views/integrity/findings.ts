import { ApiError, get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';

export type Findings = AnswerOf<'/health'>['findings'];

/** Everything that a person has to look at. A server that is down says it, too, with the status 503. @throws ApiError */
export const loadFindings = async (signal?: AbortSignal): Promise<Findings> => {
  try {
    return (await get<AnswerOf<'/health'>>('/health', {}, { signal })).findings;
  } catch (error) {
    const body = error instanceof ApiError ? (error.body as Partial<AnswerOf<'/health'>> | null) : null;
    const findings = body?.findings;
    if (findings === undefined) throw error;
    return findings;
  }
};
