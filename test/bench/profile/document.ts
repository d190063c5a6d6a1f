import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Effort } from '#test/bench/scenario.js';
import type { ProfileRow } from './row.js';
import { STAGE_NOTES } from './stage-rules.js';
import { asMarkdown, chart, operations, stages, threads } from './tables.js';

/** How a profile came about. `at`: ISO 8601, UTC. `load`: the machine's average of the last minute, before. */
export type Circumstances = Readonly<{
  at: string;
  commit: string;
  cpu: string;
  cores: number;
  system: string;
  node: string;
  load: number;
  effort: Effort;
}>;

const [BEGIN, END] = ['<!-- figures: written by npm run bench -- --profile --write -->', '<!-- end of figures -->'];
/** From `dist/test/bench/profile`. */
const DOCUMENT = fileURLToPath(new URL('../../../../docs/performance.md', import.meta.url));

/** In the words of a reader of the figures. */
export const howMeasured = ({ at, commit, cpu, cores, system, node, load, effort }: Circumstances): string => {
  const { warmUps, rounds, sliceSeconds } = effort;
  return `Measured on ${at.slice(0, 10)} at commit ${commit}: ${cpu}, ${cores} cores, ${system}, Node ${node}, load ${load.toFixed(1)} before; of each operation ${rounds} rounds of ${sliceSeconds} s after ${warmUps} to warm up. Embedded stores; chain, audit index and history on.`;
};

export const figuresOf = (rows: readonly ProfileRow[], circumstances: Circumstances): string =>
  [
    howMeasured(circumstances),
    '### Operations',
    asMarkdown(operations(rows)),
    '### CPU by thread',
    `\`\`\`text\nCPU of a call as a multiple of that of the bare reference\n\n${chart(rows)}\n\`\`\``,
    asMarkdown(threads(rows)),
    '### Main thread by stage',
    asMarkdown(stages(rows)),
    Object.entries(STAGE_NOTES)
      .map(([stage, note]) => `- **${stage}**: ${note}`)
      .join('\n'),
    '### References',
    rows.map(({ name, reference }) => `- ${name}: ${reference}`).join('\n'),
  ].join('\n\n');

/** Puts figures into the place of those that a document has. @throws when it has no place for them */
export const withFigures = (document: string, figures: string): string => {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the document has no lines ${BEGIN} and ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${document.slice(end)}`;
};

/** Returns the path of the document. */
export const writeDocument = (rows: readonly ProfileRow[], circumstances: Circumstances): string => {
  writeFileSync(DOCUMENT, withFigures(readFileSync(DOCUMENT, 'utf8'), figuresOf(rows, circumstances)));
  return DOCUMENT;
};
