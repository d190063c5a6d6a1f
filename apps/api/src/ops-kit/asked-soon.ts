const LONGEST_MS = 2_000;

/** What was asked for, or null where that fails or takes longer. Never throws. @param longestMs default 2,000 */
export const askedSoon = async <Found>(asking: Promise<Found>, longestMs = LONGEST_MS): Promise<Found | null> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longestMs, null);
  });
  const found = await Promise.race([asking.catch(() => null), late]);
  clearTimeout(timer);
  return found;
};
