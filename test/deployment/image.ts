import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A `COPY` of the Dockerfile. `stage`: the one that it copies from; without it, the checkout. */
export type Copy = Readonly<{ stage?: string; sources: readonly string[]; target: string }>;

/** A stage of the Dockerfile: what it is called, its copies, and the other instructions with their arguments. */
export type Stage = Readonly<{ name: string; copies: readonly Copy[]; instructions: readonly (readonly [name: string, rest: string])[] }>;

const copyOf = (rest: string): Copy => {
  const words = rest.split(/\s+/);
  const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
  const target = words.pop() ?? '';
  return { ...(stage !== undefined && { stage }), sources: words, target };
};

/** The stages of the Dockerfile of this checkout, in its order. */
export const stagesOfImage = async (): Promise<readonly Stage[]> => {
  const text = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  const stages: { name: string; copies: Copy[]; instructions: [string, string][] }[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') stages.push({ name: /\bAS (\w+)$/.exec(rest)?.[1] ?? '', copies: [], instructions: [] });
    else if (name === 'COPY') stages.at(-1)?.copies.push(copyOf(rest));
    else stages.at(-1)?.instructions.push([name, rest]);
  }
  return stages;
};
