/** What `2026-03-01` or `2026-03-01 12:00` means: an instant in UTC. Anything else stays, for the server to say what is wrong with it. */
export const instantOf = (text: string): string => {
  const [, day, time = '00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time.length === 5 ? `${time}:00` : time}Z`;
};

/** Whether a text is a position of the log. */
export const isPosition = (text: string): boolean => /^\d{1,20}$/.test(text);

/** Whether a text is an instant in UTC of a day that the calendar has. */
export const isInstant = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
};

/** Filters of events of a point of the past: those up to it, itself included. `undefined`: now. */
export const upTo = (asOf: string | undefined): Readonly<{ after?: string; to?: string }> => {
  if (asOf !== undefined && isPosition(asOf)) return { after: `${BigInt(asOf) + 1n}` };
  if (asOf !== undefined && isInstant(asOf)) return { to: new Date(Date.parse(asOf) + 1).toISOString() };
  return {};
};
