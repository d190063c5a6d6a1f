/** An exact decimal number: `digits` × 10 to the power of -`scale`, where `scale` is never negative. Sums never drift. */
export type Decimal = Readonly<{ digits: bigint; scale: number }>;

export const ZERO: Decimal = { digits: 0n, scale: 0 };

const SPELLED = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

const shifted = (digits: bigint, places: number): bigint => digits * 10n ** BigInt(places);

/** Parses a number with optional fraction and exponent. @throws RangeError if the text is not a number */
export const decimal = (text: string): Decimal => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = SPELLED.exec(text) ?? [];
  if (whole + fraction === '') throw new RangeError(`not a decimal number: ${text}`);
  const scale = fraction.length - Number(exponent);
  const size = BigInt(whole + fraction);
  const digits = sign === '-' ? -size : size;
  return scale >= 0 ? { digits, scale } : { digits: shifted(digits, -scale), scale: 0 };
};

export const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { digits: shifted(a.digits, scale - a.scale) + shifted(b.digits, scale - b.scale), scale };
};

export const negate = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });

export const sum = (numbers: Iterable<Decimal>): Decimal => {
  let total = ZERO;
  for (const number of numbers) total = add(total, number);
  return total;
};

/** Plain digits: no exponent, no zeros at the end of a fraction, no sign before zero. */
export const decimalText = ({ digits, scale }: Decimal): string => {
  const size = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const point = size.length - scale;
  const fraction = size.slice(point).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${size.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
};

/** Like {@link decimalText}, but always with a fraction: `50.0`. */
export const doubleText = (number: Decimal): string => {
  const text = decimalText(number);
  return text.includes('.') ? text : `${text}.0`;
};

/** Decimals of a ratio before it is converted to a percentage. */
const RATIO_PLACES = 4;

/** Used share of a capacity in per cent. The ratio is rounded to four decimals, ties away from zero. `undefined` if the capacity is zero. */
export const percentageOf = (total: Decimal, capacity: Decimal): Decimal | undefined => {
  if (capacity.digits === 0n) return undefined;
  const scale = Math.max(total.scale, capacity.scale);
  const size = (number: Decimal): bigint => shifted(number.digits < 0n ? -number.digits : number.digits, scale - number.scale);
  const [dividend, divisor] = [shifted(size(total), RATIO_PLACES), size(capacity)];
  const rounded = (2n * dividend + divisor) / (2n * divisor);
  return { digits: total.digits < 0n === capacity.digits < 0n ? rounded : -rounded, scale: RATIO_PLACES - 2 };
};
