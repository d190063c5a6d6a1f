import { type Decimal, decimalText, doubleText } from '#domain/accounting/decimal.js';
import { NumberText } from '#domain/shared/text/number-text.js';

/** As a number with a fraction: `50.0`. */
export const doubleNumber = (number: Decimal): NumberText => new NumberText(doubleText(number));

/** As an integer if possible: `50`. */
export const plainNumber = (number: Decimal): NumberText => new NumberText(decimalText(number));
