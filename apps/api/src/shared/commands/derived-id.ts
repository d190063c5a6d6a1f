import { hash } from 'node:crypto';

/** A UUID that is derived from a text, with the form of version 4. */
export const derivedId = (text: string): string => {
  const digits = hash('sha256', text, 'hex');
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) % 4);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
};
