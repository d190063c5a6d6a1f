import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PastApplication } from '#api/as-of/past-application.js';
import { sizeShown } from '#api/audit/as-of.js';
import { AuditCalls } from '#api/audit/events/audit-calls.js';
import { PersonalForAuditors } from '#api/audit/events/event-query.js';
import { kindOf, type ResourceKind } from '#api/operations/records/kinds.js';
import { recordNamed, recordsOfId } from '#api/operations/records/records-of-id.js';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { flag, membersOf, oneOf, optional, pageSize, text, whole } from '#api/ops-kit/strict-members.js';
import { Answer } from '#api/shared/http/answer.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { articleOf } from '#domain/audit/changes/names.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { ResourceReference } from '#domain/shared/resource-change.js';
import { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { RESOURCE } from './documentation.js';
import { versionsPage } from './versions.js';

class ResourceQuery extends membersOf({
  scope: optional(text(200, { description: 'project (id or name) or tenant (id) of the record, where its kind needs it' })),
  order: optional(oneOf(['asc', 'desc'], { description: 'by version; default: asc' })),
  after: optional(whole(0, Number.MAX_SAFE_INTEGER, { description: 'version, exclusive, in the direction of `order`', example: 20 })),
  limit: pageSize(100, 20),
  personal: optional(flag({ description: 'personal data in plain text; needs the role auditor, and is recorded' })),
}) {}

type Path = Readonly<{ service: string; kind: string; id: string }>;

/** As `an installation of accounting`. */
const wordsOf = ({ service, kind }: ResourceReference): string => `${articleOf(kind)} ${kind.replaceAll('_', ' ')} of ${service}`;

/** Names the kinds that have the id, because callers often have an id without its kind. */
const missing = (asked: ResourceReference, others: readonly ResourceReference[]): string =>
  [`there never was ${wordsOf(asked)} with this id`, ...others.map((other) => `the id is that of ${wordsOf(other)}`)].join('; ');

/** Records as versions (operations contract 2). */
@OpsController('audit/resources', 'audit')
export class ResourcesController {
  constructor(
    private readonly calls: AuditCalls,
    private readonly past: PastApplication,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {}

  @ApiParam({ name: 'service', example: 'messaging' })
  @ApiParam({ name: 'kind', example: 'topic' })
  @ApiParam({ name: 'id', example: 'news' })
  @PersonalForAuditors()
  @Get(':service/:kind/:id', {
    id: 'listRecordVersions',
    summary: 'The versions of a record, each with who made it, what it changed, and the record as it was then',
    answers: {
      200: RESOURCE,
      400: PROBLEM('`scope` is missing, or a parameter is unknown, repeated or no value of its kind'),
      403: PROBLEM('`personal` needs the role auditor'),
      404: PROBLEM('there never was such a record; `detail` names the kinds that have the id'),
      413: PROBLEM('all days of the record together are too large'),
      503: PROBLEM('this node has no history, or it has not reached the record; see Retry-After'),
    },
  })
  async versions(
    @Call() { request, reply }: OpsCall,
    @Param() { service, kind: kindName, id }: Path,
    @StrictQuery(ResourceQuery) query: ResourceQuery,
  ): Promise<Answer> {
    const kind = kindOf(service, kindName);
    if (!kind) throw new Problem(404, 'there is no such kind of record');
    checkScope(kind, query.scope);
    const { order = 'asc', after, limit, personal = false } = query;
    return this.calls.reading(async () => {
      const { index } = this.calls.audit;
      const history = new RecordHistory(index, this.events, await sizeShown(this.past, this.calls, reply));
      const asked = { service, kind: kindName, id, ...(query.scope !== undefined && { scope: query.scope }) };
      const reference = await recordNamed(history, asked);
      if (!reference) throw new Problem(404, missing(asked, await recordsOfId(history, id)));
      const places = await history.versions(reference);
      await this.calls.recordPersonal(request, reply, personal);
      const { versions, next } = await versionsPage({ index, past: this.past, history, kind, reference, shown: { personal } }, places, {
        order,
        after,
        limit,
      });
      const { scope = null } = reference;
      const resource = { service, kind: kindName, id: reference.id, scope, deleted: places.at(-1)?.ends === true };
      const body = `{"resource":${JSON.stringify(resource)},"versions":[${versions.join(',')}],"next":${next}}`;
      return new Answer(body, { type: 'application/json; charset=utf-8' });
    });
  }
}

/** @throws Problem 400 */
const checkScope = (kind: ResourceKind, scope: string | undefined): void => {
  if ((kind.scope === undefined) === (scope === undefined)) return;
  const detail = kind.scope === undefined ? 'must not be given: ids of this kind need none' : `is missing: the ${kind.scope} of the record`;
  throw new Problem(400, 'the request is not as this call takes it', [{ member: 'scope', detail }]);
};
