/** What `2026-03-01` or `2026-03-01 12:00` means: an instant in UTC. Anything else stays, for the server to say what is wrong with it. */
export const instantOf = (text: string): string => {
  const [, day, time = '00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?$/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time.length === 5 ? `${time}:00` : time}Z`;
};
