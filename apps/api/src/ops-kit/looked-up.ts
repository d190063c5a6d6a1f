import { Gauge, type Registry } from 'prom-client';

/** Sets a gauge; `undefined`: the value is not known. */
type SetGauge = (value: number | undefined) => void;

/**
 * A gauge without labels whose value is looked up when `/metrics` is asked for. While the value is not known the series is absent, which queries and
 * alerts of Prometheus understand, instead of the 0 that prom-client would show.
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
 * A gauge without labels that reads its value itself whenever `/metrics` is asked for.
 * @param name without the prefix of all metrics
 */
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
