import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem, problemOf } from '#api/ops-kit/problem.js';
import { AUDITOR, Get, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, oneOf, optional, pageSize, whole } from '#api/ops-kit/strict-members.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { signedNote } from '#domain/integrity/checkpoint.js';
import type { Anchor } from '#domain/integrity/integrity-events.js';
import { ChainBehind, Integrity } from '#infra/engine/integrity/integrity.js';
import { CannotSign } from '#infra/engine/integrity/signer.js';
import { ANCHOR_OR_NOTE, ANCHOR_PAGE, anchorAnswer, KEY_SET } from './documentation.js';
import { numberOf } from './path-number.js';

export class AnchorQuery extends membersOf({
  order: optional(oneOf(['asc', 'desc'], { description: 'by size; default: asc' })),
  after: optional(whole(0, Number.MAX_SAFE_INTEGER, { description: 'size, exclusive, in the direction of `order`', example: 10_000 })),
  limit: pageSize(1_000, 100),
}) {}

/** Signed states of the chain, and the keys that verify them (operations contract 3). */
@OpsController('audit', 'audit')
export class AnchorsController {
  constructor(private readonly integrity: Integrity) {}

  @Get('anchors', { id: 'listAnchors', summary: 'Anchors by size', answers: { 200: ANCHOR_PAGE } })
  async list(@StrictQuery(AnchorQuery) { order = 'asc', after, limit }: AnchorQuery): Promise<Answered<typeof ANCHOR_PAGE>> {
    const found = this.integrity.chain.anchors.list({ order, after, limit: limit + 1 });
    const items = found.slice(0, limit);
    return { items, next: found.length > limit ? (items.at(-1)?.size ?? null) : null };
  }

  @Post('anchors', {
    id: 'createAnchor',
    summary: 'Signs what was appended before the call; 200 with the newest anchor when nothing was chained since',
    who: AUDITOR,
    limit: 'form',
    answers: {
      200: anchorAnswer('the newest anchor covers everything'),
      201: anchorAnswer('a new anchor'),
      503: PROBLEM('the chain is behind, or this node has no signing key'),
    },
  })
  async create(@Call() { context, reply }: OpsCall): Promise<Anchor> {
    const { anchor, position, isNew } = await this.integrity.anchor(context).catch(problemOf(503, ChainBehind, CannotSign));
    reply.code(isNew ? 201 : 200);
    setPosition(reply, position);
    return anchor;
  }

  @ApiParam({ name: 'size', schema: { type: 'integer', minimum: 1 }, example: 10_000 })
  @Get('anchors/:size', {
    id: 'getAnchor',
    summary: 'One anchor; as plain text the signed note (C2SP) that witnesses read',
    answers: { 200: ANCHOR_OR_NOTE, 404: PROBLEM('there is no anchor of this size') },
  })
  async show(@Call() { request, reply }: OpsCall, @Param() { size }: Readonly<{ size: string }>): Promise<Anchor | string> {
    const anchor = this.integrity.chain.anchors.at(numberOf(size) ?? -1);
    if (!anchor) throw new Problem(404, 'there is no anchor of this size');
    reply.header('vary', 'Accept');
    const type = acceptedType(request.headers.accept, ['application/json', 'text/plain']);
    if (type === undefined) throw new Problem(406, 'an anchor is application/json or text/plain');
    if (type === 'application/json') return anchor;
    const key = (await this.integrity.keys()).find(({ keyId }) => keyId === anchor.keyId);
    if (!key) throw new Problem(503, 'the key of this anchor is not known');
    reply.type('text/plain; charset=utf-8');
    return signedNote(anchor, key.x);
  }

  @Get('keys', {
    id: 'listAnchorKeys',
    summary: 'The public keys that verify anchors, former ones included, as a JWK set',
    answers: { 200: KEY_SET },
  })
  async keys(): Promise<Answered<typeof KEY_SET>> {
    const keys = await this.integrity.keys();
    return { keys: keys.map(({ keyId, x, since, until }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid: keyId, since, until })) };
  }
}
