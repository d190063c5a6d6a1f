import { readFileSync } from 'node:fs';

/**
 * Preloaded (`--import`) into a process and its threads: `Date` is wrong by as many seconds as the file says that the environment variable
 * `FAULTS_CLOCK` names. Timers and `performance` are not, as when an operator sets the time of a machine.
 */
const file = process.env.FAULTS_CLOCK ?? '';
const clock = { shift: 0 };

const look = (): void => {
  try {
    const seconds = readFileSync(file, 'utf8');
    if (seconds !== '') clock.shift = Number(seconds) * 1_000 || 0; // empty while it is written
  } catch {
    clock.shift = 0;
  }
};

const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...parts: readonly unknown[]) {
    super(...((parts.length === 0 ? [RealDate.now() + clock.shift] : parts) as [number]));
  }

  static override now(): number {
    return RealDate.now() + clock.shift;
  }
}

if (file !== '') {
  look();
  setInterval(look, 100).unref();
  globalThis.Date = ShiftedDate as DateConstructor;
}
