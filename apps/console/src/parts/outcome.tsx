import { useState } from 'preact/hooks';
import { ErrorNote } from './error-note.js';

/** What the last action has come to. One in a view: `role=status` is there before anything is said in it. */
export const Outcome = ({ said, error }: Readonly<{ said: string; error?: unknown }>) => (
  <>
    <p class={said ? 'note' : 'note only-read'} role="status">
      {said}
    </p>
    {error !== undefined && <ErrorNote error={error} />}
  </>
);

export type Acting = Readonly<{
  said: string;
  error: unknown;
  busy: boolean;
  say: (text: string) => void;
  /** Does something, and says what it resolves with, or shows why it failed. @returns whether it was done */
  act: (action: () => Promise<string>) => Promise<boolean>;
}>;

/** Actions of a view, of which {@link Outcome} says the last one. */
export const useActing = (): Acting => {
  const [{ said, error, busy }, setState] = useState<{ said: string; error?: unknown; busy: boolean }>({ said: '', busy: false });
  const say = (text: string) => setState({ said: text, busy: false });
  const act = (action: () => Promise<string>) => {
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
