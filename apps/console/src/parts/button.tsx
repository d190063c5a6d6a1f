import type { ButtonHTMLAttributes } from 'preact';

/** A button with a text: one that submits its form with `type="submit"`. */
export const Button = ({ text, ...attributes }: ButtonHTMLAttributes<HTMLButtonElement> & Readonly<{ text: string }>) => (
  <button type="button" {...attributes}>
    {text}
  </button>
);
