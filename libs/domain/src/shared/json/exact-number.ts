/** A decimal number that a double cannot hold: `digits` × 10^`exponent`, digits without leading and trailing zeros. */
export class LargeDecimal {
  constructor(
    readonly negative: boolean,
    readonly digits: string,
    readonly exponent: number,
  ) {}

  /** Power of ten of the first digit. */
  get magnitude(): number {
    return this.exponent + this.digits.length - 1;
  }

  /** JSON text; equal numbers have equal texts. */
  toString(): string {
    const power = this.exponent === 0 ? '' : `e${this.exponent}`;
    return `${this.negative ? '-' : ''}${this.digits}${power}`;
  }
}

/** A double for numbers of up to 15 significant digits, which doubles distinguish and order correctly; a decimal for all others. */
export type ExactNumber = number | LargeDecimal;

const DOUBLE_DIGITS = 15;
const DOUBLE_MAGNITUDE = 300;
const LARGEST_EXPONENT = 1e15;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

const withoutZeros = (digits: string): Readonly<{ digits: string; trailing: number }> => {
  let start = 0;
  while (digits.charAt(start) === '0') start++;
  let end = digits.length;
  while (end > start && digits.charAt(end - 1) === '0') end--;
  return { digits: digits.slice(start, end), trailing: digits.length - end };
};

/** Clamps exponents to the range of exact arithmetic. */
const exponentIn = (power: string): number => Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, Number(power)));

const decimalOf = (spelled: string): LargeDecimal => {
  const [, sign = '', whole = '', fraction = '', power = '0'] = PARTS.exec(spelled) ?? [];
  const { digits, trailing } = withoutZeros(whole + fraction);
  return new LargeDecimal(sign !== '' && digits !== '', digits, digits === '' ? 0 : exponentIn(power) - fraction.length + trailing);
};

/** Parses a JSON number. */
export const exactNumber = (spelled: string): ExactNumber => {
  const decimal = decimalOf(spelled);
  const { digits, magnitude } = decimal;
  return digits.length <= DOUBLE_DIGITS && Math.abs(magnitude) <= DOUBLE_MAGNITUDE ? Number(spelled) + 0 : decimal;
};

/** The exact number that a double prints as. */
export const exactOf = (value: number): ExactNumber => exactNumber(String(value));

const asDecimal = (value: ExactNumber): LargeDecimal => (typeof value === 'number' ? decimalOf(String(value)) : value);

const compareSizes = (left: LargeDecimal, right: LargeDecimal): number => {
  if (left.digits === '' || right.digits === '') return left.digits.length - right.digits.length;
  if (left.magnitude !== right.magnitude) return left.magnitude - right.magnitude;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1; // both start at the same power of ten
};

/** Negative, zero or positive if `left` is less than, equal to or greater than `right`. */
export const compareNumbers = (left: ExactNumber, right: ExactNumber): number => {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [one, other] = [asDecimal(left), asDecimal(right)];
  if (one.negative !== other.negative) return one.negative ? -1 : 1;
  return one.negative ? compareSizes(other, one) : compareSizes(one, other);
};

/** Whether a number has no fraction; `1.0` is an integer. */
export const isInteger = (value: ExactNumber): boolean => (typeof value === 'number' ? Number.isInteger(value) : value.exponent >= 0);

const CHUNK = 1_000;

/** Remainder of a number of any length, in linear time. */
const restOf = (digits: string, divisor: bigint): bigint => {
  let rest = 0n;
  for (let at = 0; at < digits.length; at += CHUNK) {
    const chunk = digits.slice(at, at + CHUNK);
    rest = (rest * 10n ** BigInt(chunk.length) + BigInt(chunk)) % divisor;
  }
  return rest;
};

/** 10^`power` modulo `divisor`. */
const powerRest = (power: number, divisor: bigint): bigint => {
  let [result, base] = [1n % divisor, 10n % divisor];
  for (let left = power; left >= 1; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * base) % divisor;
    base = (base * base) % divisor;
  }
  return result;
};

/** Whether `value` is an integer multiple of `divisor`, which is positive. */
export const isMultiple = (value: ExactNumber, divisor: ExactNumber): boolean => {
  const [dividend, unit] = [asDecimal(value), asDecimal(divisor)];
  if (dividend.digits === '') return true;
  const shift = dividend.exponent - unit.exponent;
  const whole = BigInt(unit.digits);
  // The last digit of the dividend is not zero, so with a negative shift it cannot be a multiple.
  return shift >= 0 && (restOf(dividend.digits, whole) * powerRest(shift, whole)) % whole === 0n;
};
