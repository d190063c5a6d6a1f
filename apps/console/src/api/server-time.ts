/** How far the clock of the server is before that of the browser, in milliseconds. */
const clock = { ahead: 0 };

/** The header has whole seconds, and was on its way: less says nothing. */
const COARSE_MS = 2_000;

/** Notes the header `Date` of an answer. */
export const noteDate = (date: string | null): void => {
  const ahead = Date.parse(date ?? '') - Date.now();
  if (!Number.isNaN(ahead)) clock.ahead = Math.abs(ahead) < COARSE_MS ? 0 : ahead;
};

/** Now by the clock of the server, whose times the page shows: milliseconds since 1970-01-01 UTC. */
export const serverNow = (): number => Date.now() + clock.ahead;
