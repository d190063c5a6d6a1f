import { useCallback, useEffect, useState } from 'preact/hooks';
import { SIGNED_OUT } from '../api/client.js';
import { forgetNames } from '../api/names.js';
import { currentSession, type Session } from '../api/session.js';
import { ErrorNote } from '../parts/error-note.js';
import { Frame } from './frame.js';
import { SignIn, SignInAgain } from './sign-in.js';

/** `isNew`: who signed in with the form, as opposed to a session that was there. */
type Seen = Readonly<{ session?: Session | null; isNew?: boolean; error?: unknown }>;

/**
 * Calls `changed` if the page is looked at again and the browser has a session of another key: tabs share the cookie. `undefined`: there is none to compare.
 * An open dialog stays: it may show a key that is shown once.
 */
const useOtherKey = (key: string | undefined, changed: (found: Session) => void) => {
  useEffect(() => {
    if (key === undefined) return;
    let look = new AbortController();
    const compare = () => {
      if (document.hidden) return;
      look.abort();
      look = new AbortController();
      currentSession({ once: true, signal: look.signal }).then(
        (found) => found && found.key !== key && document.querySelector('dialog[open]') === null && changed(found),
        () => undefined, // the next call of the view says why
      );
    };
    document.addEventListener('visibilitychange', compare);
    addEventListener('focus', compare);
    return () => {
      look.abort();
      document.removeEventListener('visibilitychange', compare);
      removeEventListener('focus', compare);
    };
  }, [key]);
};

/**
 * The whole page: who is signed in sees the frame with its view, everybody else the form. When a session ends while somebody works, the form stands above
 * the view and its dialogs, which keep what was typed.
 */
export const Console = () => {
  const [{ session, isNew = false, error }, setSeen] = useState<Seen>({});
  const [expired, setExpired] = useState(false);
  const look = useCallback(() => {
    currentSession().then(
      (found) => setSeen({ session: found }),
      (failure) => setSeen({ error: failure }),
    );
  }, []);
  useEffect(look, [look]);
  useEffect(() => {
    const ended = () => setExpired(true);
    addEventListener(SIGNED_OUT, ended);
    return () => removeEventListener(SIGNED_OUT, ended);
  }, []);
  useOtherKey(expired ? undefined : session?.key, (found) => {
    forgetNames();
    setSeen({ session: found });
  });
  const signedIn = (found: Session) => {
    setSeen((before) => (before.session?.key === found.key ? before : { session: found, isNew: true }));
    setExpired(false);
  };
  if (error !== undefined) return <ErrorNote error={error} again={look} />;
  if (session === undefined) return <p class="quiet starting">Loading …</p>;
  if (session === null) return <SignIn onSignedIn={signedIn} />;
  return (
    <>
      <div class={expired ? 'behind' : undefined}>
        <Frame key={session.key} session={session} hasSignedIn={isNew} onSignedOut={() => setSeen({ session: null })} />
      </div>
      {expired && <SignInAgain onSignedIn={signedIn} />}
    </>
  );
};
