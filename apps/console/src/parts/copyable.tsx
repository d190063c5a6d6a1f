import { useState } from 'preact/hooks';

/** A text to copy, such as an id. `name`: what it is, for the name of the button. */
export const Copyable = ({ text, name }: Readonly<{ text: string; name: string }>) => {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 2_000);
      },
      () => undefined, // where the browser forbids it the text can be selected
    );
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="small" aria-label={`Copy ${name}`} onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
};
