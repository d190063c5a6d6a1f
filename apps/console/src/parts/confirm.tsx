import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { ErrorNote } from './error-note.js';
import { Field } from './fields/field.js';

type ConfirmProps = Readonly<{
  title: string;
  /** Name of the button that does it. */
  action: string;
  /** Asks for a reason, 1..500 characters, and gives it to `act`. */
  reason?: boolean;
  /** What cannot be undone. */
  children: ComponentChildren;
  /** The dialog stays open, with the error, where it rejects. */
  act: (reason: string) => Promise<void>;
  onClose: () => void;
}>;

/** Asks once before what cannot be undone. */
export const Confirm = ({ title, action, reason = false, children, act, onClose }: ConfirmProps) => {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    act(text)
      .then(onClose, setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <div>{children}</div>
        {reason && (
          <Field
            label="Reason"
            value={text}
            onValue={setText}
            required
            maxLength={500}
            hint="Kept in the log for good. Enter no personal data."
          />
        )}
        {error !== undefined && <ErrorNote error={error} />}
        <div class="buttons">
          <Button type="submit" text={action} class="danger" disabled={busy} />
          <Button text="Cancel" onClick={onClose} />
        </div>
      </form>
    </Dialog>
  );
};
