const LONGEST_MS = 2_000;

/** For `/health`: what the log says, or null when it does not within two seconds. Never throws. */
export const askedSoon = async <Found>(asking: Promise<Found>): Promise<Found | null> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, LONGEST_MS, null);
  });
  const found = await Promise.race([asking.catch(() => null), late]);
  clearTimeout(timer);
  return found;
};
