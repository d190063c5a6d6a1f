import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/** Size of a semi-space unless V8 is told otherwise, in MiB; the young generation has three of them. */
const SEMI_SPACE = '16';

/** Maximum size of V8's old space in bytes: `--max-old-space-size`, or the default of this machine. */
export const oldSpaceLimit = (): number => {
  const flags = [process.env.NODE_OPTIONS, ...process.execArgv].join(' ');
  const [, semiSpace = SEMI_SPACE] = [...flags.matchAll(/--max[-_]semi[-_]space[-_]size[= ](\d+)/g)].at(-1) ?? [];
  return getHeapStatistics().heap_size_limit - 3 * Number(semiSpace) * MIB;
};

/**
 * Sets V8's flags for this process and the threads it starts later. A full collection starts when the heap has grown by three quarters; on
 * machines with much memory V8 alone lets it grow to four times its size. `--max-semi-space-size` would override the limits of threads, so
 * it stays that of the main thread only.
 */
export const limitHeapGrowth = (): void => {
  setFlagsFromString('--heap-growing-percent=75');
  setFlagsFromString('--max-semi-space-size=0');
};
