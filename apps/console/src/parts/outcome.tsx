import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ErrorNote } from './error-note.js';
import type { Tone } from './state.js';

/** A sentence with a tone. `more`: what to do about it. */
export type Verdict = Readonly<{ text: string; tone: Tone; more?: ComponentChildren }>;

const Judged = ({ text, more }: Verdict) => (
  <>
    <strong>{text}</strong>
    {more && <p>{more}</p>}
  </>
);

/** What the last action has come to. One in a view: `role=status` is there before anything is said in it. */
export const Outcome = ({ said, error }: Readonly<{ said: string | Verdict; error?: unknown }>) => (
  <>
    <div class={`note ${said === '' ? 'only-read' : typeof said === 'string' ? '' : said.tone}`} role="status">
      {typeof said === 'string' ? said : <Judged {...said} />}
    </div>
    {error !== undefined && <ErrorNote error={error} />}
  </>
);

export type Acting = Readonly<{
  said: string | Verdict;
  error: unknown;
  busy: boolean;
  say: (said: string | Verdict) => void;
  /** Does something, and says what it resolves with, or shows why it failed. @returns whether it was done */
  act: (action: () => Promise<string | Verdict>) => Promise<boolean>;
}>;

/** Actions of a view, of which {@link Outcome} says the last one. */
export const useActing = (): Acting => {
  const [{ said, error, busy }, setState] = useState<{ said: string | Verdict; error?: unknown; busy: boolean }>({ said: '', busy: false });
  const say = (next: string | Verdict) => setState({ said: next, busy: false });
  const act = (action: () => Promise<string | Verdict>) => {
    setState({ said: '', busy: true });
    return action().then(
      (text) => {
        say(text);
        return true;
      },
      (failure) => {
        setState({ said: '', error: failure, busy: false });
        return false;
      },
    );
  };
  return { said, error, busy, say, act };
};
