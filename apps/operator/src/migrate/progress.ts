/** How far the reading of all files is. */
export type StepProgress = Readonly<{ step: string; documents: number; bytes: number; ofBytes: number }>;

const WIDTH = 30;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 1_000;

const barOf = ({ step, documents, bytes, ofBytes }: StepProgress, seconds: number): string => {
  const share = ofBytes === 0 ? 1 : Math.min(1, bytes / ofBytes);
  const left = share > 0.02 ? `, ${Math.ceil((seconds / share) * (1 - share))} s left` : '';
  return `${step} [${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ${Math.floor(share * 100)}% ${documents} documents, ${Math.round(documents / Math.max(seconds, 0.001))}/s${left}`;
};

/** A bar that redraws itself on a terminal, a line of JSON a second anywhere else. */
export class MigrationProgress {
  private readonly begun = performance.now();
  private last = Number.NEGATIVE_INFINITY;
  private drawn = false;

  constructor(private readonly output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {}

  show(reached: StepProgress): void {
    const now = performance.now();
    if (now - this.last < (this.output.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
    this.last = now;
    const seconds = (now - this.begun) / 1_000;
    if (this.output.isTTY) {
      this.output.write(`\r\u001b[K${barOf(reached, seconds)}`);
      this.drawn = true;
    } else this.output.write(`${JSON.stringify({ ...reached, seconds: Math.round(seconds) })}\n`);
  }

  end(): void {
    if (this.drawn) this.output.write('\n');
    this.drawn = false;
  }
}
