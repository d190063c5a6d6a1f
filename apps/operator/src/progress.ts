import { printable } from '#infra/platform/logging/printable.js';

/** Progress of long-running work, as reported by jobs. */
type ShownProgress = Readonly<{
  processed: number;
  total: number | null;
  eventsPerSecond?: number | null;
  remainingSeconds?: number | null;
}>;

const WIDTH = 30;
const LINE_EVERY_MS = 1_000;

/** A bar for a share from 0 to 1, with its percentage. */
export const barOf = (share: number): string => `[${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ${Math.floor(share * 100)}%`;

/** A line that redraws itself on a terminal; elsewhere one line per second. */
export class ProgressLine {
  private last = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  /**
   * @param redrawMs shortest time between two drawings on a terminal
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
    private readonly redrawMs = 0,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param text called only when it is time to show something */
  show(text: (isTerminal: boolean) => string): void {
    const { isTTY } = this.output;
    const now = this.now();
    if (now - this.last < (isTTY ? this.redrawMs : LINE_EVERY_MS)) return;
    this.last = now;
    this.isDrawn = isTTY;
    this.output.write(isTTY ? `\r\u001b[K${printable(text(true))}` : `${printable(text(false))}\n`);
  }

  /** Keeps the line on the terminal. */
  end(): void {
    if (this.isDrawn) this.output.write('\n');
    this.isDrawn = false;
  }
}

const textOf = (label: string, { processed, total, eventsPerSecond, remainingSeconds }: ShownProgress): string => {
  const bar = total ? ` ${barOf(Math.min(1, processed / total))}` : '';
  const speed = eventsPerSecond ? `, ${Math.round(eventsPerSecond)}/s` : '';
  const remaining = typeof remainingSeconds === 'number' ? `, ${Math.ceil(remainingSeconds)} s left` : '';
  return `${label}${bar} ${processed}${total ? ` of ${total}` : ''} events${speed}${remaining}`;
};

type ProgressPrinter = Readonly<{ show(label: string, progress: ShownProgress): void; end(): void }>;

/** Shows the progress of long work. */
export const progressPrinter = (output: NodeJS.WriteStream = process.stderr): ProgressPrinter => {
  const line = new ProgressLine(output);
  return { show: (label, progress) => line.show(() => textOf(label, progress)), end: () => line.end() };
};
