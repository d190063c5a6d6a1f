import { DamagedCopy } from './damaged-copy.js';
import type { LogExport } from './log-export.js';
import { parseHeader } from './parse-line.js';
import { type NumberedLine, readLines } from './read-lines.js';

/** Reads a written export as an import would read it. @param input bytes, unpacked @throws DamagedCopy */
export const readBack = async ({ header, newReader }: LogExport, input: AsyncIterable<Uint8Array>): Promise<void> => {
  const lines = readLines(input);
  const { value: first } = await lines.next();
  if (JSON.stringify(first && parseHeader(first)) !== JSON.stringify(header))
    throw new DamagedCopy('line 1: differs from what was written');
  const steps = newReader().read(lines);
  while (!(await steps.next()).done);
};

/** Yields each line once a reader has accepted it. Used if the output cannot be read back. @throws DamagedCopy */
export async function* checkedLines({ lines, newReader }: LogExport): AsyncGenerator<string> {
  const taken: string[] = [];
  async function* numbered(): AsyncGenerator<NumberedLine> {
    let number = 0;
    for await (const text of lines) {
      taken.push(text);
      number += 1;
      if (number > 1) yield { number, text };
    }
  }
  for await (const _ of newReader().read(numbered())) yield* taken.splice(0);
  yield* taken.splice(0);
}
