import type { RebuildProgress } from '#infra/projection-runner/rebuild/rebuild-lease.js';

const WIDTH = 30;
const LINE_EVERY_MS = 1_000;

const text = ({ projection, processed, total, eventsPerSecond, remainingSeconds }: RebuildProgress): string => {
  const share = total ? Math.min(1, processed / total) : undefined;
  const bar = share === undefined ? '' : ` [${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ${Math.floor(share * 100)}%`;
  const remaining = remainingSeconds === null ? '' : `, ${Math.ceil(remainingSeconds)} s left`;
  return `${projection}${bar} ${processed}${total ? ` of ${total}` : ''} events, ${Math.round(eventsPerSecond)}/s${remaining}`;
};

/** A bar that redraws itself on a terminal, a line a second anywhere else. */
export const progressPrinter = (output: NodeJS.WriteStream): Readonly<{ show(progress: RebuildProgress): void; end(): void }> => {
  let lastLine = 0;
  let drawn = false;
  return {
    show: (progress) => {
      if (output.isTTY) {
        output.write(`\r\u001b[K${text(progress)}`);
        drawn = true;
      } else if (Date.now() - lastLine >= LINE_EVERY_MS) {
        lastLine = Date.now();
        output.write(`${text(progress)}\n`);
      }
    },
    end: () => {
      if (drawn) output.write('\n');
    },
  };
};
