import { barOf, ProgressLine } from '#operator/progress.js';

/** Progress of a part, such as `verifying`, in its current step. `documents`: of the migration. `done`, `of`: bytes, or log positions. */
type StepProgress = Readonly<{ step: string; part: string; documents: number; done: number; of: number }>;

const REDRAW_MS = 100;
/** Window for the pace: short, so that the remaining time adapts quickly when the work becomes slower or faster. */
const PACE_OF_MS = 20_000;
/** Minimum time for a meaningful pace. */
const LEAST_PACE_MS = 2_000;

type Mark = Readonly<{ at: number; done: number; documents: number }>;
type Pace = Readonly<{ documentsPerSecond: number; secondsLeft: number }>;

const textOf = ({ part, step, documents, done, of }: StepProgress, pace: Pace | undefined): string => {
  const share = of === 0 ? 1 : Math.min(1, done / of);
  const speed = pace && pace.documentsPerSecond > 0 ? `, ${Math.round(pace.documentsPerSecond)}/s` : '';
  const left = pace ? `, ${Math.ceil(pace.secondsLeft)} s left of ${part}` : '';
  return `${step} ${barOf(share)} ${documents} documents${speed}${left}`;
};

/** A bar that redraws itself on a terminal; elsewhere one line of JSON per second. The remaining time is that of the current part. */
export class MigrationProgress {
  private readonly begun: number;
  private readonly line: ProgressLine;
  private part = '';
  private marks: Mark[] = [];

  /** @param now milliseconds of a monotonic clock */
  constructor(
    output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.begun = now();
    this.line = new ProgressLine(output, REDRAW_MS, now);
  }

  show(reached: StepProgress): void {
    this.line.show((isTerminal) => {
      const now = this.now();
      const pace = this.paceAt(now, reached);
      if (isTerminal) return textOf(reached, pace);
      const secondsLeft = pace ? Math.ceil(pace.secondsLeft) : null;
      return JSON.stringify({ ...reached, seconds: Math.round((now - this.begun) / 1_000), secondsLeft });
    });
  }

  end(): void {
    this.line.end();
  }

  /** `undefined` if it is unknown, or nothing moves. */
  private paceAt(now: number, { part, documents, done, of }: StepProgress): Pace | undefined {
    if (part !== this.part) this.marks = [];
    this.part = part;
    this.marks.push({ at: now, done, documents });
    while (this.marks[1] && now - this.marks[1].at >= PACE_OF_MS) this.marks.shift();
    const [first] = this.marks;
    if (!first || now - first.at < LEAST_PACE_MS || done <= first.done) return undefined;
    const seconds = (now - first.at) / 1_000;
    const secondsLeft = (Math.max(0, of - done) * seconds) / (done - first.done);
    return { documentsPerSecond: (documents - first.documents) / seconds, secondsLeft };
  }
}
