import { Gauge, type Registry } from 'prom-client';

/** Sets a gauge; `undefined` if the value is not known. */
type SetGauge = (value: number | undefined) => void;

/**
 * A gauge without labels whose value is looked up at each scrape of `/metrics`. While the value is unknown the series is absent, which
 * queries and alerts of Prometheus understand, instead of the 0 of prom-client.
 * @param name without the prefix of all metrics
 */
export const lookedUpGauge = (registry: Registry, name: string, help: string): SetGauge => {
  const gauge = new Gauge({ name: `logbook_${name}`, help, registers: [registry] });
  gauge.remove();
  return (value) => {
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  };
};

/**
 * A part of the metrics that is looked up at each scrape of `/metrics`. Its gauges are emptied before, so that values that cannot be looked up are absent,
 * and not those of an earlier scrape.
 * @param make registers the gauges, and returns the function that looks them up
 */
export const lookedUpAnew = (registry: Registry, make: () => () => Promise<void>): (() => Promise<void>) => {
  const others = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  const look = make();
  const gauges = registry.getMetricsAsArray().flatMap(({ name }) => {
    const metric = registry.getSingleMetric(name);
    return metric instanceof Gauge && !others.has(name) ? [metric] : [];
  });
  return () => {
    for (const gauge of gauges) {
      gauge.reset(); // leaves a 0 where there are no labels
      gauge.remove({});
    }
    return look();
  };
};

/** A gauge without labels that reads its value at each scrape of `/metrics`. @param name without the prefix of all metrics */
export const readGauge = (registry: Registry, name: string, help: string, read: () => number): void => {
  new Gauge({
    name: `logbook_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
};
