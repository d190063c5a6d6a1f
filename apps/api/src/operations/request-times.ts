/** Upper ends of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Of the requests with the same labels: how many took at most the bound at the same place and more than that before it, and all their time. */
type Series = { readonly labels: string; readonly counts: number[]; count: number; seconds: number };

const text = (value: string | number): string => JSON.stringify(`${value}`);

const linesOf = (name: string, { labels, counts, count, seconds }: Series): readonly string[] => {
  let upTo = 0;
  const buckets = BOUNDS.map((bound, place) => {
    upTo += counts[place] ?? 0;
    return `${name}_bucket{le=${text(bound)},${labels}} ${upTo}`;
  });
  return [
    ...buckets,
    `${name}_bucket{le="+Inf",${labels}} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
};

/**
 * A histogram for Prometheus of the time that requests take. One of prom-client finds the series of each request by a text made of its
 * labels, and its bucket by the text of a number: a twentieth of what a read costs.
 */
export class RequestTimes {
  /** By route, status and method. */
  private readonly series = new Map<string, Map<number, Map<string, Series>>>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  observe(method: string, route: string, status: number, seconds: number): void {
    const series = this.series.get(route)?.get(status)?.get(method) ?? this.added(method, route, status);
    let place = 0;
    while (seconds > (BOUNDS[place] ?? Number.POSITIVE_INFINITY)) place++;
    series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.count++;
    series.seconds += seconds;
  }

  /** In the text format of Prometheus. */
  toString(): string {
    const all = [...this.series.values()].flatMap((ofRoute) => [...ofRoute.values()]).flatMap((ofStatus) => [...ofStatus.values()]);
    const lines = all.flatMap((series) => linesOf(this.name, series));
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} histogram`, ...lines, ''].join('\n');
  }

  private added(method: string, route: string, status: number): Series {
    const ofRoute = this.series.get(route) ?? new Map<number, Map<string, Series>>();
    const ofStatus = ofRoute.get(status) ?? new Map<string, Series>();
    const labels = `method=${text(method)},route=${text(route)},status=${text(status)}`;
    const series = { labels, counts: [...BOUNDS, Number.POSITIVE_INFINITY].map(() => 0), count: 0, seconds: 0 };
    this.series.set(route, ofRoute.set(status, ofStatus.set(method, series)));
    return series;
  }
}
