import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Tab goes round within the dialog, not to the browser around it. */
const keepWithin = (event: KeyboardEvent): void => {
  const dialog = event.currentTarget;
  if (event.key !== 'Tab' || !(dialog instanceof HTMLElement)) return;
  const found = dialog.querySelectorAll<HTMLElement>(FOCUSABLE);
  const [first, last] = [found[0], found[found.length - 1]];
  const [edge, other] = event.shiftKey ? [first, last] : [last, first];
  if (document.activeElement !== edge && dialog.contains(document.activeElement)) return;
  event.preventDefault();
  other?.focus();
};

type DialogProps = Readonly<{ title: string; onClose: () => void; children: ComponentChildren }>;

/** Modal while it is rendered; Escape calls `onClose`; afterwards the focus is where it was. */
export const Dialog = ({ title, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key, which is typed into it.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close(); // gives the focus back
  }, []);
  const cancelled = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  // Browsers let a page keep a dialog open once. A key that is handled here never reaches them.
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      cancelled(event);
    } else keepWithin(event);
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancelled} onKeyDown={pressed}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};
