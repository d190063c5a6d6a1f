import type { ApiResponseOptions } from '@nestjs/swagger';

type Schema = Readonly<Record<string, unknown>>;

const HASH: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const ROOT = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

export const ANCHOR_EXAMPLE = {
  size: 10_000,
  root: ROOT,
  time: '2026-03-01T12:00:00.000Z',
  position: '10432',
  keyId: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  text: 'logbook/3f0c…\n10000\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+NwRCf/RjKA=\n2026-03-01T12:00:00.000Z\n10432\n',
  signature: 'mB0z…',
};

const ANCHOR: Schema = {
  title: 'AuditAnchor',
  type: 'object',
  required: ['size', 'root', 'time', 'position', 'keyId', 'text', 'signature'],
  properties: {
    size: { type: 'integer' },
    root: HASH,
    time: { type: 'string', format: 'date-time', description: 'log time of the last leaf' },
    position: { type: 'string', description: 'of the event of the last leaf' },
    keyId: { type: 'string', description: 'RFC 7638 thumbprint' },
    text: { type: 'string', description: 'the body of a checkpoint: five lines' },
    signature: { type: 'string', description: 'base64 of the Ed25519 signature of the UTF-8 of `text`' },
  },
  example: ANCHOR_EXAMPLE,
};

const json = (description: string, schema: Schema): ApiResponseOptions => ({ description, content: { 'application/json': { schema } } });

export const anchorAnswer = (description: string): ApiResponseOptions => json(description, ANCHOR);

export const ANCHOR_OR_NOTE: ApiResponseOptions = {
  description: 'the anchor; as plain text the signed note',
  content: {
    'application/json': { schema: ANCHOR },
    'text/plain': { schema: { type: 'string', example: `${ANCHOR_EXAMPLE.text}\n— logbook/3f0c… u1Zq…\n` } },
  },
};

export const ANCHOR_PAGE = json('a page of anchors', {
  title: 'AuditAnchorPage',
  type: 'object',
  required: ['items', 'next'],
  properties: {
    items: { type: 'array', items: ANCHOR },
    next: { type: 'integer', nullable: true, description: 'for `after`; null at the end' },
  },
});

export const KEY_SET = json('JWK set', {
  title: 'AuditKeySet',
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kty', 'crv', 'x', 'kid', 'since', 'until'],
        properties: {
          kty: { type: 'string', example: 'OKP' },
          crv: { type: 'string', example: 'Ed25519' },
          x: { type: 'string', example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
          kid: { type: 'string', example: ANCHOR_EXAMPLE.keyId },
          since: { type: 'string', format: 'date-time', example: '2026-03-01T12:00:00.000Z' },
          until: { type: 'string', format: 'date-time', nullable: true, example: null },
        },
      },
    },
  },
});

export const PROOF = json('the event, its place in the tree, and the anchor that signs its root', {
  title: 'AuditInclusionProof',
  type: 'object',
  required: ['event', 'index', 'size', 'path', 'anchor'],
  properties: {
    event: { type: 'object', description: 'stored form' },
    index: { type: 'integer' },
    size: { type: 'integer' },
    path: { type: 'array', items: HASH, description: 'RFC 9162 2.1.3, from the leaf to the root' },
    anchor: ANCHOR,
  },
  example: {
    event: {
      index: 3,
      position: '4',
      stream: 'status.tenants-global',
      revision: 0,
      id: '…',
      type: 'TenantRegistered',
      metadata: {},
      data: {},
      hash: ROOT,
    },
    index: 3,
    size: 10_000,
    path: [ROOT],
    anchor: ANCHOR_EXAMPLE,
  },
});

export const CONSISTENCY = json('that the larger tree begins with the leaves of the smaller one', {
  title: 'AuditConsistencyProof',
  type: 'object',
  required: ['from', 'to', 'path'],
  properties: { from: { type: 'integer' }, to: { type: 'integer' }, path: { type: 'array', items: HASH, description: 'RFC 9162 2.1.4' } },
  example: { from: 10_000, to: 20_000, path: [ROOT] },
});

export const PROBLEM = (description: string): ApiResponseOptions => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
