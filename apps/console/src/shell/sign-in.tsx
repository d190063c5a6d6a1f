import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import { type Session, signIn } from '../api/session.js';
import { Button } from '../parts/button.js';
import { ErrorNote } from '../parts/error-note.js';
import { Field } from '../parts/fields/field.js';

type SignInProps = Readonly<{ onSignedIn: (session: Session) => void }>;

/** The form again when a session has ended: modal, and so above whatever dialog is open. It cannot be put away. */
export const SignInAgain = (props: SignInProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} class="whole" aria-label="Sign in" onCancel={(event) => event.preventDefault()}>
      <SignIn {...props} />
    </dialog>
  );
};

/** The form that everybody sees who is not signed in. */
export const SignIn = ({ onSignedIn }: SignInProps) => {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const before = document.title;
    document.title = 'Sign in · Logbook';
    field.current?.focus();
    return () => {
      document.title = before;
    };
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    setError(undefined);
    signIn(key).then(onSignedIn, (failure) => {
      const isWrong = failure instanceof ApiError && failure.status === 401;
      if (isWrong) setKey('');
      setError(isWrong ? wrongKey(failure) : failure);
      field.current?.focus();
    });
  };
  return (
    <main class="sign-in">
      <h1>Logbook</h1>
      <form onSubmit={submit}>
        <Field label="Access key" type="password" value={key} onValue={setKey} required autoComplete="current-password" inputRef={field} />
        {error !== undefined && <ErrorNote error={error} />}
        <div class="buttons">
          <Button type="submit" text="Sign in" class="primary" />
        </div>
      </form>
      <p class="quiet">
        With a key of the service “ops”, as an operator or an auditor. The first one is <code>LOGBOOK_OPS_KEY</code>: of the environment of
        the server, or else in <code>credentials.json</code> in its data directory.
      </p>
    </main>
  );
};

const wrongKey = ({ instance }: ApiError): ApiError =>
  new ApiError(401, 'This key is not known', 'Check it and try again: it may have been revoked, or be a key of another service.', instance);
