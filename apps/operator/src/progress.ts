import { printable } from '#infra/platform/logging/printable.js';

/** Progress of long work, as jobs report it. */
type ShownProgress = Readonly<{
  processed: number;
  total: number | null;
  eventsPerSecond?: number | null;
  remainingSeconds?: number | null;
}>;

const WIDTH = 30;
const LINE_EVERY_MS = 1_000;

const textOf = (label: string, { processed, total, eventsPerSecond, remainingSeconds }: ShownProgress): string => {
  const share = total ? Math.min(1, processed / total) : undefined;
  const bar = share === undefined ? '' : ` [${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ${Math.floor(share * 100)}%`;
  const speed = eventsPerSecond ? `, ${Math.round(eventsPerSecond)}/s` : '';
  const remaining = typeof remainingSeconds === 'number' ? `, ${Math.ceil(remainingSeconds)} s left` : '';
  return `${printable(label)}${bar} ${processed}${total ? ` of ${total}` : ''} events${speed}${remaining}`;
};

type ProgressPrinter = Readonly<{ show(label: string, progress: ShownProgress): void; end(): void }>;

/** A bar that redraws itself on a terminal, a line a second anywhere else. */
export const progressPrinter = (output: NodeJS.WriteStream = process.stderr): ProgressPrinter => {
  let lastLine = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    show: (label, progress) => {
      if (output.isTTY) {
        output.write(`\r\u001b[K${textOf(label, progress)}`);
        drawn = true;
      } else if (performance.now() - lastLine >= LINE_EVERY_MS) {
        lastLine = performance.now();
        output.write(`${textOf(label, progress)}\n`);
      }
    },
    end: () => {
      if (drawn) output.write('\n');
      drawn = false;
    },
  };
};
