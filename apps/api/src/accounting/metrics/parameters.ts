import type { FastifyRequest } from 'fastify';
import * as errors from '#api/accounting/errors.js';
import { parameter } from '#api/shared/http/parameters.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { parameter as documented } from '#api/shared/openapi/described.js';
import { type Instant, midnight } from '#domain/accounting/metrics/instants.js';
import { isDay } from '#domain/shared/time.js';

/** The parameters of lists of metrics. */
export const PERIOD = {
  end: documented('day', 'yyyy-MM-dd: what ends on this day or earlier; with start: what ends before this day', '2024-04-01'),
  start: documented('day', 'yyyy-MM-dd: what begins on this day or later', '2024-03-01'),
};
export const DEFINITION = { 'metric-definition-id': documented('text', 'only metrics of this definition') };

const textIn = (request: FastifyRequest, name: string): string | undefined =>
  firstOf((request.query as Readonly<Record<string, unknown>>)[name]);

/** The filters of a list of metrics in the query. */
export type GivenFilters = Readonly<{ definition?: string; start?: string; end?: string }>;

export const Filters = parameter(
  (request): GivenFilters => ({
    definition: textIn(request, 'metric-definition-id'),
    start: textIn(request, 'start'),
    end: textIn(request, 'end'),
  }),
);

/** `from`: metrics that begin then or later; `until`: metrics that end then or earlier. */
export type MetricListFilter = Readonly<{ definitionId?: string; from?: Instant; until?: Instant }>;

const listDay = (day: string | undefined): string | undefined => {
  if (day && !isDay(day)) throw errors.badMetricListDate();
  return day || undefined;
};

/**
 * Converts the days of a list of metrics to instants (accounting contract 3.4). Without a first day, the last one counts. @throws
 * AccountingError 400
 */
export const boundsIn = (given: GivenFilters): MetricListFilter => {
  const [start, end] = [listDay(given.start), listDay(given.end)];
  if (start !== undefined && end !== undefined && start >= end) throw errors.badMetricListRange();
  return { from: start && midnight(start), until: end && (start === undefined ? `${end}T23:59:59.999Z` : midnight(end)) };
};
