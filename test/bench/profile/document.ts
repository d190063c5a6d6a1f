import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PeerRow } from '#test/bench/peers/peers.js';
import { peerChart, peerFigures } from '#test/bench/peers/tables.js';
import type { Effort } from '#test/bench/scenario.js';
import { type Measurement, whereMeasured } from './circumstances.js';
import type { ProfileRow } from './row.js';
import { STAGE_NOTES } from './stage-rules.js';
import { asMarkdown, operations, stages, threads, turns } from './tables.js';

/** How a profile came about. */
export type Circumstances = Measurement & Readonly<{ effort: Effort }>;

/** Places in documents, by the options that write them. */
export type Place = '--profile --write' | '--profile --peers --write' | '--capacity --write' | '--growth --write' | '--breadth --write';

const END = '<!-- end of figures -->';
/** From `dist/test/bench/profile`. */
const DOCUMENTS = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const DOCUMENT = 'performance.md';
/** Beside it. */
const CHART = 'performance-peers.svg';

/** In the words of a reader of the figures. */
export const howMeasured = (circumstances: Circumstances): string => {
  const { warmUps, rounds, sliceSeconds } = circumstances.effort;
  const rounded = `of each operation ${rounds} rounds of ${sliceSeconds} s after ${warmUps} to warm up`;
  return `${whereMeasured(circumstances)}; ${rounded}. Embedded stores; chain, audit index and history on.`;
};

export const figuresOf = (rows: readonly ProfileRow[], circumstances: Circumstances): string =>
  [
    howMeasured(circumstances),
    '### Operations',
    asMarkdown(operations(rows)),
    '### CPU by thread',
    asMarkdown(threads(rows)),
    '### Main thread by stage',
    asMarkdown(stages(rows)),
    Object.entries(STAGE_NOTES)
      .map(([stage, note]) => `- **${stage}**: ${note}`)
      .join('\n'),
    '### Turns',
    asMarkdown(turns(rows)),
  ].join('\n\n');

/** Puts figures into the place of those that a document has. @throws when it has no place for them */
export const withFigures = (document: string, place: Place, figures: string): string => {
  const line = `<!-- figures: written by npm run bench -- ${place} -->`;
  const begin = document.indexOf(line);
  const end = document.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`the document has no lines ${line} and ${END}`);
  return `${document.slice(0, begin + line.length)}\n\n${figures}\n\n${document.slice(end)}`;
};

/** @param name of a document in `docs`. Returns its path. */
export const writeFigures = (name: string, place: Place, figures: string): string => {
  const path = join(DOCUMENTS, name);
  writeFileSync(path, withFigures(readFileSync(path, 'utf8'), place, figures));
  return path;
};

/** Returns the path of the document. `peers`: none if they were not measured, then what the document has of them stays. */
export const writeDocument = (rows: readonly ProfileRow[], peers: readonly PeerRow[], circumstances: Circumstances): string => {
  const path = writeFigures(DOCUMENT, '--profile --write', figuresOf(rows, circumstances));
  if (peers.length > 0) {
    writeFileSync(join(DOCUMENTS, CHART), peerChart(peers));
    writeFigures(DOCUMENT, '--profile --peers --write', peerFigures(peers, howMeasured(circumstances), CHART));
  }
  return path;
};
