import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;
/** Size of a semi-space unless V8 is told otherwise, in MiB; the young generation has three of them. */
const SEMI_SPACE = '16';

/** Maximum size of V8's old space in bytes: `--max-old-space-size`, or the default of this machine. */
export const oldSpaceLimit = (): number => {
  const flags = [process.env.NODE_OPTIONS, ...process.execArgv].join(' ');
  const [, semiSpace = SEMI_SPACE] = [...flags.matchAll(/--max[-_]semi[-_]space[-_]size[= ](\d+)/g)].at(-1) ?? [];
  return getHeapStatistics().heap_size_limit - 3 * Number(semiSpace) * MIB;
};
