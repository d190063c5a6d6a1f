/** How many of its flags are set. It is counted when a flag changes, so that asking costs the same for any number of flags. */
export class FlagCount {
  private set = 0;

  get any(): boolean {
    return this.set > 0;
  }

  /** Adds a flag, not set yet. Returns how to set or clear it. */
  flag(): (isSet: boolean) => void {
    let was = false;
    return (isSet) => {
      if (isSet === was) return;
      was = isSet;
      this.set += isSet ? 1 : -1;
    };
  }
}
