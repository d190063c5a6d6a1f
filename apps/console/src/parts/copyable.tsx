import { useRef, useState } from 'preact/hooks';

/** A text to copy, such as an id. `name`: what it is, for the name of the button. */
export const Copyable = ({ text, name }: Readonly<{ text: string; name: string }>) => {
  const [copied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      // Over plain http, or where the browser forbids it: one key is left to press.
      if (code.current) getSelection()?.selectAllChildren(code.current);
    }
  };
  return (
    <span class="copyable">
      <code ref={code}>{text}</code>
      <button type="button" class="small" aria-label={`Copy ${name}`} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
};
