import { shortSlice } from './short-slice.js';

/** UTF-16 units of a text that count as one more value. */
const TEXT_UNITS_PER_VALUE = 64;
/** Values between two checks of the clock. */
const VALUES_AT_A_TIME = 64;

/** A state is counted again when this many were added, or as many as it had values if more, so that counting costs little per event. */
const ADDED_BETWEEN_COUNTS = 1_000;

/** Size of a state to which events are folded: its values when they were counted, and at least one for each event since. */
export class StateSize {
  private counted = 0;

  /** @param uncounted size of what is folded already; infinite if it is unknown, so that it is counted next */
  constructor(private uncounted = 0) {}

  get values(): number {
    return this.counted + this.uncounted;
  }

  /** @param bytes approximate size of the data, if it is known: long texts are kept as they are */
  add(events: number, bytes = 0): void {
    this.uncounted += Math.max(events, Math.ceil(bytes / TEXT_UNITS_PER_VALUE));
  }

  /** Adds events whose values are counted: they are folded to a state that was counted before. */
  async addCounted(events: readonly Readonly<{ data: unknown }>[]): Promise<void> {
    for (const { data } of events) this.add(await countValues(data));
  }

  /** Counts the values if much was folded since. The state must not change meanwhile. */
  async count(state: unknown): Promise<void> {
    if (this.uncounted < Math.max(ADDED_BETWEEN_COUNTS, this.counted)) return;
    this.counted = await countValues(state);
    this.uncounted = 0;
  }
}

/**
 * Approximate number of values in a state at any depth, in maps, sets, arrays and objects. A long text counts as several. States are data
 * without cycles, and do not change while they are counted, in slices.
 */
export const countValues = async (state: unknown): Promise<number> => {
  const slice = shortSlice();
  const open: unknown[] = [state];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    count += 1;
    if (typeof value === 'string') count += Math.floor(value.length / TEXT_UNITS_PER_VALUE);
    else if (typeof value === 'object' && value !== null) pushItems(open, value);
    if (count % VALUES_AT_A_TIME === 0 && slice.isOver) await slice.next();
  }
  return count;
};

const pushItems = (open: unknown[], value: object): void => {
  if (value instanceof Map) {
    for (const [key, item] of value) open.push(key, item);
    return;
  }
  const items = value instanceof Set || Array.isArray(value) ? value : Object.values(value);
  for (const item of items) open.push(item);
};
