import { combined, list, matching, oneOf, text, url, variable } from '#infra/platform/config/variables.js';

const URL = url('must be a URL of http or https');

const decoded = (given: string): string => {
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
};

const headersIn = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).toLowerCase(), decoded(pair.slice(at + 1))];
    }),
  );

type Tracing = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** From 0 to 1. */
  ratio: number;
}>;

/** Spans for an OpenTelemetry collector, by the variables of OpenTelemetry. Whatever is not named here counts for nothing. */
export const tracingSettings = {
  /** `undefined`: no spans are made. */
  tracing: combined(
    {
      /** Base URL of the collector. */
      base: variable('OTEL_EXPORTER_OTLP_ENDPOINT', URL),
      /** The whole URL for traces, instead. */
      traces: variable('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', URL),
      protocol: variable('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf(['http/json'])),
      /** `<name>=<value>`, percent-encoded. */
      headers: variable(
        'OTEL_EXPORTER_OTLP_HEADERS',
        list([(one) => /^[\w-]+=[\x21-\x7e]*$/.test(one), 'must be <name>=<value>, separated by commas']),
        [],
      ),
      serviceName: variable('OTEL_SERVICE_NAME', text, 'logbook'),
      /** Part of the traces that begin here. */
      ratio: variable('OTEL_TRACES_SAMPLER_ARG', matching(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1'), '1'),
      disabled: variable('OTEL_SDK_DISABLED', matching(/^(true|false)$/i, 'must be true or false'), 'false'),
    },
    ({ base, traces, headers, serviceName, ratio, disabled }): Tracing | undefined => {
      const to = traces ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
      if (to === undefined || disabled.toLowerCase() === 'true') return undefined;
      return { url: to, headers: headersIn(headers), serviceName, ratio: Number(ratio) };
    },
  ),
};
