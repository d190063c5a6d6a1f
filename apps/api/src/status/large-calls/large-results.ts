/** For injection into controllers that answer large calls from the thread for those: reading is bounded as with `RESULTS`. */
export const LARGE_RESULTS = Symbol('LargeResults');
