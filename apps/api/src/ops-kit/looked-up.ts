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
