import type { FastifyRequest } from 'fastify';
import { list, mapped, optional, readBody, struct, text, withoutEmpty } from '#api/shared/bodies/body-shape.js';
import { parameter } from '#api/shared/http/parameters.js';
import { bodyOf } from '#api/shared/http/request-context.js';
import { pathOf } from '#api/shared/http/service-http-policy.js';
import { parameter as described } from '#api/shared/openapi/described.js';
import type { SubmittedRequest } from './commands.js';

const place = { metric: text, hostname: text, service: text, group: text };

/** Clients of the original service send the host as `timestamp`. */
const excludedMetric = mapped(struct({ ...place, timestamp: text }), ({ timestamp, ...given }) => ({
  ...given,
  hostname: given.hostname || timestamp,
}));

/** `id` and what the server sets are checked for their type and otherwise ignored. */
export const recomputationBody = struct({
  id: text,
  requester_name: text,
  requester_email: text,
  reason: text,
  start_time: text,
  end_time: text,
  report: text,
  exclude: list(text),
  status: text,
  timestamp: text,
  history: list(struct({ status: text, timestamp: text })),
  exclude_metrics: optional(list(withoutEmpty(excludedMetric, 'metric', 'hostname', 'service', 'group'))),
  exclude_monitoring_source: optional(list(struct({ host: text, start_time: text, end_time: text }))),
  applied_status_changes: optional(
    list(withoutEmpty(struct({ ...place, state: text }), 'metric', 'hostname', 'service', 'group', 'state')),
  ),
});

export const statusBody = struct({ status: text });

/** Query parameters that a creation can use in place of a JSON body. */
export const IN_PLACE_OF_BODY = {
  start_time: described('instant', 'of the period, in place of a body'),
  end_time: described('instant', 'of the period, in place of a body'),
  reason: described('text', 'why, in place of a body'),
  requester_name: described('text', 'who asks, in place of a body'),
  requester_email: described('text', 'who asks, in place of a body'),
  report: described('text', 'name of a report'),
  exclude: described(['text'], 'groups that do not count, in place of a body'),
};

/** No JSON text begins like this, so that a JSON body is known even when its content type says that it is a form. */
const FORM = /^\s*[\w.%+-]+=/;

/** The parameters of a form or of the query; `undefined` if the body is another one, or none of the parameters is known. */
const parametersOf = (request: FastifyRequest): URLSearchParams | undefined => {
  const body = bodyOf(request)?.toString('utf8').trim() ?? '';
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '') && FORM.test(body);
  if (body !== '' && !isForm) return undefined;
  const parameters = new URLSearchParams(`${body}&${request.url.slice(pathOf(request.url).length + 1)}`);
  return Object.keys(IN_PLACE_OF_BODY).some((name) => parameters.has(name)) ? parameters : undefined;
};

/** The request of a creation: a JSON body, or else the parameters of a form or of the query. @throws MalformedJson */
export const RequestToCreate = parameter((request): SubmittedRequest => {
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
