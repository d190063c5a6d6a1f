import { bytes } from '#domain/shared/text/figures.js';
import type { Measurements } from './findings.js';

/** Memory of the server of the read models; `null` in place of a number: not known. */
export type MemoryNow = Readonly<{
  bytes: number;
  limit: number | null;
  daysLeft: number | null;
  refusal: string | null;
  drops: string | null;
}>;

/** @param memory `null`: not known, or there is no server */
export const memoryMeasurements = (memory: MemoryNow | null): Measurements => {
  if (!memory) return {};
  const { daysLeft, refusal, drops } = memory;
  const trouble = (detail: string | null) => ({ value: Number(detail !== null), ...(detail !== null && { detail }) });
  return {
    'read-store-refuses': [trouble(refusal)],
    'read-store-drops': [trouble(drops)],
    'read-store-filling': daysLeft === null ? [] : [{ value: daysLeft, detail: memoryUsed(memory) }],
  };
};

/** `1.5 GiB of 2 GiB` */
export const memoryUsed = ({ bytes: used, limit }: Pick<MemoryNow, 'bytes' | 'limit'>): string =>
  limit === null ? bytes(used) : `${bytes(used)} of ${bytes(limit)}`;
