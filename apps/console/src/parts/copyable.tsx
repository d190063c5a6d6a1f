import { useRef, useState } from 'preact/hooks';
import { Button } from './button.js';

/** @param select puts the text under the cursor where it cannot be copied: over plain http, or where the browser forbids it */
const useCopying = (text: string, select: () => void) => {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      select();
    }
  };
  return { copied, copy };
};

/** A text to copy, such as an id. `name`: what it is, for the name of the button. */
export const Copyable = ({ text, name }: Readonly<{ text: string; name: string }>) => {
  const code = useRef<HTMLElement>(null);
  const { copied, copy } = useCopying(text, () => code.current && getSelection()?.selectAllChildren(code.current));
  return (
    <span class="copyable">
      <code ref={code}>{text}</code>
      <Button text={copied ? 'Copied' : 'Copy'} class="small" aria-label={`Copy ${name}`} onClick={copy} />
    </span>
  );
};

/** Beside a name: its id, which is shown only where it cannot be copied. */
export const CopyId = ({ id }: Readonly<{ id: string }>) => {
  const [isShown, setShown] = useState(false);
  const { copied, copy } = useCopying(id, () => setShown(true));
  return (
    <span class="copyable">
      <Button text={copied ? 'Copied' : 'Copy id'} class="small" title={id} onClick={copy} />
      {isShown && <code>{id}</code>}
    </span>
  );
};
