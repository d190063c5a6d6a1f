import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import { type Session, signIn } from '../api/session.js';
import { ErrorNote } from '../parts/error-note.js';
import { Field } from '../parts/field.js';

/** The form that everybody sees who is not signed in. */
export const SignIn = ({ onSignedIn }: Readonly<{ onSignedIn: (session: Session) => void }>) => {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Logbook';
    field.current?.focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    setError(undefined);
    signIn(key).then(onSignedIn, (failure) => {
      setKey('');
      setError(failure instanceof ApiError && failure.status === 401 ? wrongKey(failure) : failure);
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
          <button type="submit" class="primary">
            Sign in
          </button>
        </div>
      </form>
      <p class="quiet">With a key of the service “ops”, as an operator or an auditor.</p>
    </main>
  );
};

const wrongKey = ({ instance }: ApiError): ApiError =>
  new ApiError(401, 'This key is not known', 'Check it and try again: it may have been revoked, or be a key of another service.', instance);
