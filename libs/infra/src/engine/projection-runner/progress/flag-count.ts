/** Number of set flags. It is updated on every change, so that reading it costs the same for any number of flags. */
export class FlagCount {
  private set = 0;

  get any(): boolean {
    return this.set > 0;
  }

  /** Adds a cleared flag. Returns a function that sets or clears it. */
  flag(): (isSet: boolean) => void {
    let was = false;
    return (isSet) => {
      if (isSet === was) return;
      was = isSet;
      this.set += isSet ? 1 : -1;
    };
  }
}
