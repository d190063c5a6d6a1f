import { IsString, Matches } from 'class-validator';
import { List, OneOf, OptionalUrl } from '#infra/platform/config/checks.js';

/** Spans for an OpenTelemetry collector, by the variables of OpenTelemetry. Whatever is not named here counts for nothing. */
export class TracingVariables {
  /** Base URL of the collector. */
  @OptionalUrl('must be a URL of http or https')
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** The whole URL for traces, instead. */
  @OptionalUrl('must be a URL of http or https')
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;

  @OneOf(['http/json'])
  OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json';

  /** `<name>=<value>`, percent-encoded. */
  @Matches(/^[\w-]+=[\x21-\x7e]*$/, { each: true, message: 'must be <name>=<value>, separated by commas' })
  @List()
  OTEL_EXPORTER_OTLP_HEADERS: readonly string[] = [];

  @IsString()
  OTEL_SERVICE_NAME = 'logbook';

  /** Part of the traces that begin here. */
  @Matches(/^(0(\.\d+)?|1(\.0+)?)$/, { message: 'must be a number from 0 to 1' })
  OTEL_TRACES_SAMPLER_ARG = '1';

  @Matches(/^(true|false)$/i, { message: 'must be true or false' })
  OTEL_SDK_DISABLED = 'false';
}

type TracingSettings = Readonly<{
  /** `undefined`: no spans are made. */
  tracing?: Readonly<{
    url: string;
    headers: Readonly<Record<string, string>>;
    serviceName: string;
    /** From 0 to 1. */
    ratio: number;
  }>;
}>;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const headersIn = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).toLowerCase(), decoded(pair.slice(at + 1))];
    }),
  );

export const tracingSettings = (given: TracingVariables): TracingSettings => {
  const base = given.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined || given.OTEL_SDK_DISABLED.toLowerCase() === 'true') return {};
  return {
    tracing: {
      url,
      headers: headersIn(given.OTEL_EXPORTER_OTLP_HEADERS),
      serviceName: given.OTEL_SERVICE_NAME,
      ratio: Number(given.OTEL_TRACES_SAMPLER_ARG),
    },
  };
};
