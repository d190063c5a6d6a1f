import type { FastifyRequest } from 'fastify';
import type { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { EXTERNAL_ID_QUERY } from '#api/accounting/documented-queries.js';
import * as errors from '#api/accounting/errors.js';
import { requiredQuery } from '#api/accounting/queries.js';
import { firstOf } from '#api/shared/http/request-context.js';
import { type Instant, midnight } from '#domain/accounting/metrics/instants.js';
import { isDay } from '#domain/shared/time.js';
import type { MetricListFilter } from './metric-lists.js';

/** Query parameters for the OpenAPI document. */
export const EXTERNAL_PROVIDER_QUERY = { name: 'externalProviderId', required: true, description: 'or externalId' } as const;
export const START_QUERY = { name: 'start', required: true, description: 'yyyy-MM-dd' } as const;
export const END_QUERY = { name: 'end', required: true, description: 'yyyy-MM-dd; the range ends where this day begins' } as const;
export const FROM_QUERY = { name: 'start', required: false, description: 'yyyy-MM-dd: what begins on this day or later' } as const;
export const UNTIL_QUERY = {
  name: 'end',
  required: false,
  description: 'yyyy-MM-dd: what ends on this day or earlier; with start: what ends before this day',
} as const;
export const DEFINITION_QUERY = { name: 'metric-definition-id', required: false } as const;

const parameter = (request: FastifyRequest, name: string): string | undefined =>
  firstOf((request.query as Readonly<Record<string, unknown>>)[name]);

/** The external id of a provider in a project: the original calls it other than elsewhere. @throws AccountingError 400, naming it as the original */
export const externalProviderId = (request: FastifyRequest): string =>
  parameter(request, EXTERNAL_PROVIDER_QUERY.name) ||
  parameter(request, EXTERNAL_ID_QUERY.name) ||
  requiredQuery(request, EXTERNAL_PROVIDER_QUERY.name);

const reportDay = (request: FastifyRequest, name: string): Instant => {
  const day = requiredQuery(request, name);
  if (!isDay(day)) throw errors.badDate();
  return midnight(day);
};

/**
 * The range of a report: from the beginning of one day to the beginning of another (accounting contract 6.2).
 * @throws AccountingError 400; about the order of the days only where it is asked for
 */
export const reportRange = (request: FastifyRequest, order: 'checked' | 'any' = 'checked'): Readonly<{ from: Instant; to: Instant }> => {
  const [from, to] = [reportDay(request, 'start'), reportDay(request, 'end')];
  if (order === 'checked' && from > to) throw errors.badReportRange();
  return { from, to };
};

const listDay = (request: FastifyRequest, name: string): string | undefined => {
  const day = parameter(request, name);
  if (day && !isDay(day)) throw errors.badMetricListDate();
  return day || undefined;
};

/** What a list of metrics is to hold (accounting contract 3.4): the last day counts only where no first day is given. @throws AccountingError */
export const metricListFilter = async (request: FastifyRequest, catalogue: CatalogueReader): Promise<MetricListFilter> => {
  const definition = parameter(request, DEFINITION_QUERY.name);
  const definitionId = definition ? (await catalogue.definition(definition)).document.metric_definition_id : undefined;
  return { definitionId, ...metricDates(request) };
};

/** The dates alone. @throws AccountingError 400 */
export const metricDates = (request: FastifyRequest): MetricListFilter => {
  const [start, end] = [listDay(request, 'start'), listDay(request, 'end')];
  if (start !== undefined && end !== undefined && start >= end) throw errors.badMetricListRange();
  const from = start && midnight(start);
  const lastDay = end && (start === undefined ? `${end}T23:59:59.999Z` : midnight(end));
  return { from, until: lastDay };
};
