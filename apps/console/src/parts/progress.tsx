import { count, duration } from './figures.js';

type ProgressProps = Readonly<{
  /** What is under way: its accessible name. */
  label: string;
  done: number;
  /** `null`: not known yet. */
  total: number | null;
  /** A second. */
  rate?: number | null;
  remainingSeconds?: number | null;
}>;

const shareOf = (done: number, total: number | null): number =>
  total === null ? 0 : total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));

/** How far long work has come, with its rate and the time left. */
export const Progress = ({ label, done, total, rate, remainingSeconds }: ProgressProps) => {
  const share = shareOf(done, total);
  const parts = [
    total === null ? `${count(done)} so far` : `${count(done)} of ${count(total)}`,
    rate ? `${count(rate)} a second` : '',
    typeof remainingSeconds === 'number' ? `${duration(remainingSeconds)} left` : '',
  ];
  return (
    <div class="progress">
      <div role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={share}>
        <span style={{ width: `${share}%` }} />
      </div>
      <small class="quiet">{parts.filter(Boolean).join(' · ')}</small>
    </div>
  );
};
