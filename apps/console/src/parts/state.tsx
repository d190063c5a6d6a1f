/** `good`: as it should be · `busy`: something is under way, or is to be looked at in time · `bad`: somebody must look at it · `quiet`: ended, off. */
export type Tone = 'good' | 'busy' | 'bad' | 'quiet';

const SHAPES: Readonly<Record<Tone, string>> = {
  good: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z',
  busy: 'M8 1.5 14.5 8 8 14.5 1.5 8Z',
  bad: 'M8 1.5 15 14H1Z',
  quiet: 'M3 7h10v2H3Z',
};

/** A state by shape and word as well as colour. */
export const State = ({ tone, children }: Readonly<{ tone: Tone; children: string }>) => (
  <span class={`state ${tone}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[tone]} />
    </svg>
    {children}
  </span>
);

const TONES: Readonly<Record<string, Tone>> = {
  live: 'good',
  done: 'good',
  served: 'good',
  running: 'busy',
  switching: 'busy',
  resuming: 'busy',
  'catching-up': 'busy',
  rebuilding: 'busy',
  degraded: 'bad',
  failed: 'bad',
  stopped: 'bad',
  behind: 'bad',
  'set-aside': 'bad',
};

/** The states of projections and jobs, in the server's words. */
export const toneOf = (state: string): Tone => TONES[state] ?? 'quiet';
