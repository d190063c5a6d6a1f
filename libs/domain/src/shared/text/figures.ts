const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** `1,234,567` */
export const count = (value: number): string => whole.format(value);

/** Three digits that count: `0.0123`, `12.3`, `1,230`. */
export const figure = (value: number): string => (Math.abs(value) >= 1_000 ? whole.format(value) : short.format(value));

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `1.5 GiB` */
export const bytes = (value: number): string => {
  const power = Math.min(BYTE_UNITS.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));
  return `${short.format(value / 1_024 ** power)} ${BYTE_UNITS[power]}`;
};

/** `2 h 5 min`, of seconds: the two largest units. */
export const duration = (seconds: number): string => {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return seconds > 0 ? `${figure(seconds)} s` : '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
};

/** `1 event`, `2 events` */
export const counted = (amount: number, one: string, many = `${one}s`): string => `${count(amount)} ${amount === 1 ? one : many}`;
