/**
 * Number format of results (results contract 10): the shortest decimal that parses to the same 64-bit number. Exponent form, with a sign and at least
 * two digits, is used if the decimal exponent is below -4 or at least 6. `-0` is `0`.
 */
export const numberText = (value: number): string => {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value); // fast path for nearly all numbers: answers have tens of thousands
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
};
