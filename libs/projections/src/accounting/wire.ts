import { type Decimal, decimalText, doubleText } from '#domain/accounting/decimal.js';
import { NumberText } from '#domain/shared/number-text.js';

/** As a number with a fraction: `50.0`. */
export const doubleNumber = (number: Decimal): NumberText => new NumberText(doubleText(number));

/** As an integer if possible: `50`. */
export const plainNumber = (number: Decimal): NumberText => new NumberText(decimalText(number));

/** Compact JSON without undefined members. For our own answers, whose depth is limited. */
export const wireText = (value: unknown): string => {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(wireText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let members = '';
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${wireText(member)}`;
  return `{${members}}`;
};
