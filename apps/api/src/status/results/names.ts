import { byBytes } from '#domain/shared/text-order.js';

/** Compares lists of names of equal length: by the first that differs. */
export const byNames = (left: readonly string[], right: readonly string[]): number => {
  const differing = left.findIndex((name, index) => name !== right[index]);
  return differing < 0 ? 0 : byBytes(left[differing] as string, right[differing] as string);
};

/** A place for what is found by a list of names: each row of each day is looked up, so no text is made of the names. */
export class NamePlace<Value> {
  value: Value | undefined;
  private below: Map<string, NamePlace<Value>> | undefined;

  at(names: readonly string[]): NamePlace<Value> {
    return names.reduce((place: NamePlace<Value>, name) => place.next(name), this);
  }

  private next(name: string): NamePlace<Value> {
    this.below ??= new Map();
    let next = this.below.get(name);
    if (!next) {
      next = new NamePlace();
      this.below.set(name, next);
    }
    return next;
  }
}
