/** Points of a day that arrived after it had ended, and the arrival of the last one; `null`: none did. `isLeast`: there may be more. */
type Late = Readonly<{ points: number; last: string; isLeast: boolean }>;

type Point = Readonly<{ at: string; event?: Readonly<{ time: string }> | null }>;

type Day = Readonly<{
  day: string;
  endpoints: readonly Readonly<{ metrics: readonly Readonly<{ points: readonly Point[] }>[] }>[];
  /** `null`: these are all endpoints. */
  next: string | null;
}>;

/** Whether a point behind the figures of a day arrived after the day had ended: one of the day before, too. `day`: `YYYY-MM-DD`. */
export const isLate = ({ event }: Pick<Point, 'event'>, day: string): boolean =>
  !!event && Date.parse(event.time) >= Date.parse(day) + 86_400_000;

/** The second in which a point arrived; `null`: its event is not known. */
export const arrivalOf = ({ event }: Pick<Point, 'event'>): string | null => event?.time.replace(/\.\d+Z$/, 'Z') ?? null;

export const lateOf = ({ day, endpoints, next }: Day): Late | null => {
  const times = endpoints
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ points }) => points.flatMap((point) => (point.at.startsWith(day) && isLate(point, day) ? (arrivalOf(point) ?? []) : [])))
    .sort();
  const last = times.at(-1);
  return last === undefined ? null : { points: times.length, last, isLeast: next !== null };
};
