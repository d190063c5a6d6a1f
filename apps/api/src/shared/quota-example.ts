import { QuotaExceeded } from '#infra/platform/scheduling/quota.js';

/** What a call is told that would exceed a quota, as descriptions show it. @param word name of what is counted */
export const exampleOfQuota = (word: string): string => new QuotaExceeded(word, 10_000, 12, 1_800).message;
