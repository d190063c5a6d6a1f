import { Inject, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, optional, whole } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_EVENTS } from '#api/shared/tokens.js';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import type { Hash } from '#domain/integrity/merkle.js';
import type { AuditEvents } from '#infra/engine/audit-index/open-audit-index.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { CONSISTENCY, PROOF } from './documentation.js';
import { numberOf } from './path-number.js';

export class ProofQuery extends membersOf({
  size: optional(
    whole(1, Number.MAX_SAFE_INTEGER, { description: 'that of an anchor; default: the oldest one that covers the event', example: 10_000 }),
  ),
}) {}

class ConsistencyQuery extends membersOf({
  from: whole(1, Number.MAX_SAFE_INTEGER, { description: 'size of an anchor', example: 10_000 }),
  to: whole(1, Number.MAX_SAFE_INTEGER, { description: 'size of an anchor, not below `from`', example: 20_000 }),
}) {}

const hex = (hashes: readonly Hash[]): readonly string[] => hashes.map((hash) => hash.toString('hex'));

/** Proofs that can be checked without Logbook (operations contract 3). */
@OpsController('audit', 'audit')
export class ProofsController {
  constructor(
    private readonly integrity: Integrity,
    @Inject(AUDIT_EVENTS) private readonly audit: Pick<AuditEvents, 'index'>,
  ) {}

  @ApiParam({ name: 'index', schema: { type: 'integer', minimum: 0 }, example: 3 })
  @Get('events/:index/proof', {
    id: 'getInclusionProof',
    summary: 'Proof that an event is in the chain that an anchor signs',
    answers: {
      200: PROOF,
      400: PROBLEM('the anchor of this size does not cover the event'),
      404: PROBLEM('there is no event with this index, or no anchor of this size'),
      409: PROBLEM('no anchor covers the event yet'),
    },
  })
  async proof(@Param() path: Readonly<{ index: string }>, @StrictQuery(ProofQuery) { size }: ProofQuery): Promise<Answered<typeof PROOF>> {
    const { chain } = this.integrity;
    const index = numberOf(path.index);
    if (index === undefined || index >= Math.max(chain.size, this.audit.index.checkpoint().size))
      throw new Problem(404, 'there is no event with this index');
    const anchor = this.anchorFor(index, size);
    const [event, hashes] = await Promise.all([chain.eventAt(index), chain.inclusionPath(index, anchor.size)]);
    return { event, index, size: anchor.size, path: hex(hashes), anchor };
  }

  @Get('consistency', {
    id: 'getConsistencyProof',
    summary: 'Proof that the chain of one anchor begins with that of another',
    answers: { 200: CONSISTENCY, 404: PROBLEM('there is no anchor of one of the sizes') },
  })
  async consistency(@StrictQuery(ConsistencyQuery) { from, to }: ConsistencyQuery): Promise<Answered<typeof CONSISTENCY>> {
    const { chain } = this.integrity;
    if (from > to) throw new Problem(400, 'the request is not as this call takes it', [{ member: 'from', detail: 'must not exceed `to`' }]);
    for (const size of [from, to]) if (!chain.anchors.at(size)) throw new Problem(404, `there is no anchor of size ${size}`);
    return { from, to, path: hex(await chain.consistencyPath(from, to)) };
  }

  private anchorFor(index: number, size: number | undefined): Anchor {
    const { anchors } = this.integrity.chain;
    if (size === undefined) {
      const oldest = anchors.covering(index);
      if (!oldest) throw new Problem(409, 'no anchor covers this event yet: POST /audit/anchors makes one');
      return oldest;
    }
    const anchor = anchors.at(size);
    if (!anchor) throw new Problem(404, 'there is no anchor of this size');
    if (size <= index)
      throw new Problem(400, 'the request is not as this call takes it', [{ member: 'size', detail: 'must be greater than the index' }]);
    return anchor;
  }
}
