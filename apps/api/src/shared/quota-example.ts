import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';

/** Error text of a call that would exceed a quota, for descriptions. @param word name of the counted things */
export const exampleOfQuota = (word: string): string => new QuotaExceeded(word, 10_000, 12, 1_800).message;
