/** Numbers that follow from a seed: the same seed, the same numbers, on every machine. */
export type Random = Readonly<{
  /** From 0 up to, without, 1. */
  fraction(): number;
  /** A whole number from `low` to `high`, both possible. */
  between(low: number, high: number): number;
  /** True so often, 0 to 1. */
  chance(probability: number): boolean;
  /** One of them. @throws when there is none */
  pick<Item>(items: readonly Item[]): Item;
  /** One of them, in proportion to the weights. @throws when there is none */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
  /** Numbers of their own, which do not depend on how many are drawn here later. */
  fork(): Random;
}>;

/** The generator `mulberry32`: 32 bits of state, good enough to choose faults by. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1));
  const pick = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new Error('nothing to choose from');
    return items[between(0, items.length - 1)] as Item;
  };
  const weighted = <Item>(items: readonly (readonly [number, Item])[]): Item => {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = fraction() * total;
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return pick(items)[1];
  };
  return {
    fraction,
    between,
    chance: (probability) => fraction() < probability,
    pick,
    weighted,
    fork: () => randomFrom(between(0, 2 ** 32 - 1)),
  };
};
