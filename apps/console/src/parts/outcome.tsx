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

/** Text of an action that has begun longer work. The outcome of the work replaces it. */
type Begun = Readonly<{ text: string; state: 'running' }>;

type Said = string | Verdict | Begun;

const isBegun = (said: Said): said is Begun => typeof said === 'object' && 'state' in said;

/** Whether the outcome of longer work may be said: it has begun, or the last action has said nothing. */
export const isOpen = (said: Said): boolean => said === '' || isBegun(said);

/** What the last action has come to. One in a view: `role=status` is there before anything is said in it. */
export const Outcome = ({ said: last, error }: Readonly<{ said: Said; error?: unknown }>) => {
  const said = isBegun(last) ? last.text : last;
  return (
    <>
      <div class={`note ${said === '' ? 'only-read' : typeof said === 'string' ? '' : said.tone}`} role="status">
        {typeof said === 'string' ? said : <Judged {...said} />}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
};

export type Acting = Readonly<{
  said: Said;
  error: unknown;
  busy: boolean;
  say: (said: Said) => void;
  /** Does something, and says what it resolves with, or shows why it failed. @returns whether it was done */
  act: (action: () => Promise<Said>) => Promise<boolean>;
}>;

/** Actions of a view, of which {@link Outcome} says the last one. */
export const useActing = (): Acting => {
  const [{ said, error, busy }, setState] = useState<{ said: Said; error?: unknown; busy: boolean }>({ said: '', busy: false });
  const say = (next: Said) => setState({ said: next, busy: false });
  const act = (action: () => Promise<Said>) => {
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
