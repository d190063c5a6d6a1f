import type { FastifyRequest } from 'fastify';
import { due, list, mapped, named, optional, readBody, struct, text, unsaid, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { parameter as handlerParameter } from '#api/shared/http/parameters.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { parameter } from '#api/shared/openapi/described.js';
import { dueText, textOf, worded } from '#api/status/bodies.js';
import { oneOf } from '#domain/shared/shape.js';
import type { SubmittedRequest } from './commands.js';

const PLACE = { metric: text, hostname: text, service: text, group: text };
const WHEN = dueText('YYYY-MM-DDTHH:MM:SSZ');

/** Clients of the original service send the host as `timestamp`. */
const excludedMetric = named(
  'StatusExcludedMetric',
  mapped(struct({ ...PLACE, timestamp: unsaid(text) }), ({ timestamp, ...given }) => ({ ...given, hostname: given.hostname || timestamp })),
);
const excludedSource = named('StatusExcludedMonitoringSource', struct({ host: due(text), start_time: WHEN, end_time: WHEN }));
const appliedChange = named('StatusAppliedStatusChange', struct({ ...PLACE, state: textOf('such as `OK`, `CRITICAL`, `EXCLUDED`') }));

const REQUESTED = {
  requester_name: due(text),
  requester_email: due(text),
  reason: due(text),
  start_time: WHEN,
  end_time: WHEN,
  report: dueText('name of the report'),
  exclude: worded(list(text), 'groups that do not count'),
};
const EXCLUSIONS = {
  exclude_metrics: optional(
    worded(
      list(withoutEmpty(excludedMetric, 'metric', 'hostname', 'service', 'group')),
      'metric data that does not count; given members must match',
    ),
  ),
  exclude_monitoring_source: optional(worded(list(excludedSource), 'monitoring hosts whose data does not count')),
  applied_status_changes: optional(
    worded(list(withoutEmpty(appliedChange, 'metric', 'hostname', 'service', 'group', 'state')), 'statuses that hold in the period'),
  ),
};
export const STATE = oneOf('pending', 'approved', 'rejected', 'running', 'done');
/** Scope and exclusions of a request, also used in answers. */
export const requested = struct(REQUESTED);
export const exclusions = struct(EXCLUSIONS);

/** `id` and members that the server sets are checked for their type and otherwise ignored. */
export const recomputationBody = named(
  'StatusRecomputationRequest',
  struct({
    id: unsaid(text),
    ...REQUESTED,
    status: unsaid(text),
    timestamp: unsaid(text),
    history: unsaid(list(struct({ status: text, timestamp: text }))),
    ...EXCLUSIONS,
  }),
);

export const statusBody = named('StatusRecomputationStatusRequest', struct({ status: due(text, STATE) }));

const WHO_ASKS = parameter('text', 'who asks, in place of a body');
const PERIOD = parameter('instant', 'of the period, in place of a body');
/** Query parameters that a creation accepts in place of a JSON body. */
export const PARAMETERS = {
  start_time: PERIOD,
  end_time: PERIOD,
  reason: parameter('text', 'why, in place of a body'),
  requester_name: WHO_ASKS,
  requester_email: WHO_ASKS,
  report: parameter('text', 'name of a report'),
  exclude: parameter(['text'], 'groups that do not count, in place of a body'),
};

/** Does not match JSON, so that a JSON body is recognised even if its content type is that of a form. */
const FORM = /^\s*[\w.%+-]+=/;

/** Parameters of a form or of the query; `undefined` for another body, or without a known parameter. */
const parametersOf = (request: FastifyRequest): URLSearchParams | undefined => {
  const body = bodyOf(request)?.toString('utf8').trim() ?? '';
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '') && FORM.test(body);
  if (body !== '' && !isForm) return undefined;
  const parameters = new URLSearchParams(`${body}&${request.url.slice(pathOf(request.url).length + 1)}`);
  return Object.keys(PARAMETERS).some((name) => parameters.has(name)) ? parameters : undefined;
};

/** The request of a creation: a JSON body, or else the parameters of a form or of the query. @throws MalformedJson */
export const RequestToCreate = handlerParameter((request): SubmittedRequest => {
  const parameters = parametersOf(request);
  if (!parameters) return readBody(recomputationBody, bodyOf(request));
  const first = (name: string): string => parameters.get(name) ?? '';
  return {
    requester_name: first('requester_name'),
    requester_email: first('requester_email'),
    reason: first('reason'),
    start_time: first('start_time'),
    end_time: first('end_time'),
    report: first('report'),
    exclude: parameters.getAll('exclude'),
  };
});
