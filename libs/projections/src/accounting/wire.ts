import { type Decimal, decimalText, doubleText } from '#domain/accounting/decimal.js';

/** A number of an answer by its digits: it need not be one that JavaScript can hold. */
export class Numeral {
  private constructor(readonly text: string) {}

  /** As a number with a fraction: `50.0`. */
  static double(number: Decimal): Numeral {
    return new Numeral(doubleText(number));
  }

  static plain(number: Decimal): Numeral {
    return new Numeral(decimalText(number));
  }
}

/** Compact JSON; members that are undefined are left out. Of an answer, which is as deep as we made it. */
export const wireText = (value: unknown): string => {
  if (value instanceof Numeral) return value.text;
  if (Array.isArray(value)) return `[${value.map(wireText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let members = '';
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${wireText(member)}`;
  return `{${members}}`;
};
