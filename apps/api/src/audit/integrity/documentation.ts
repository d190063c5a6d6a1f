import { pageOf, SHA256, shaped, shownInside } from '#api/ops-kit/answers-documentation.js';
import { bounded, component, doc, nullable } from '#domain/shared/shape.js';

const ROOT = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

const ANCHOR_EXAMPLE = {
  size: 10_000,
  root: ROOT,
  time: '2026-03-01T12:00:00.000Z',
  position: '10432',
  keyId: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  text: 'logbook/3f0c…\n10000\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+NwRCf/RjKA=\n2026-03-01T12:00:00.000Z\n10432\n',
  signature: 'mB0z…',
};

const ANCHOR_MEMBERS = {
  size: 'integer',
  root: SHA256,
  time: doc('instant', 'log time of the last leaf'),
  position: doc('text', 'of the event of the last leaf'),
  keyId: doc('text', 'RFC 7638 thumbprint'),
  text: doc('text', 'the body of a checkpoint: five lines'),
  signature: doc('text', 'base64 of the Ed25519 signature of the UTF-8 of `text`'),
} as const;

const ANCHOR = shownInside('AuditAnchor', ANCHOR_MEMBERS, ANCHOR_EXAMPLE);

const LISTED_ANCHOR = shownInside(
  'AuditListedAnchor',
  { ...ANCHOR_MEMBERS, signedAt: doc('instant', 'when it was signed, by the clock of the signing node; `text` does not contain it') },
  { ...ANCHOR_EXAMPLE, signedAt: '2026-03-01T12:30:00.000Z' },
);

export const anchorAnswer = (description: string) => shaped(description, ANCHOR);

const NOTE = `${ANCHOR_EXAMPLE.text}\n— logbook/3f0c… u1Zq…\n`;
export const ANCHOR_OR_NOTE = {
  ...anchorAnswer('the anchor; as plain text the signed note'),
  also: { 'text/plain': { schema: { type: 'string', example: NOTE }, example: NOTE } },
};

export const ANCHOR_PAGE = shaped('a page of anchors', pageOf('AuditAnchorPage', LISTED_ANCHOR, 'integer'));

const AT = '2026-03-01T12:00:00.000Z';
export const KEY_SET = shaped(
  'JWK set',
  component('AuditKeySet', {
    keys: [
      {
        kty: bounded('text', { example: 'OKP' }),
        crv: bounded('text', { example: 'Ed25519' }),
        x: bounded('text', { example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }),
        kid: bounded('text', { example: ANCHOR_EXAMPLE.keyId }),
        since: bounded('instant', { example: AT }),
        until: bounded(nullable('instant'), { example: null }),
      },
    ],
  }),
);

export const PROOF = shaped(
  'the event, its place in the tree, and the anchor that signs its root',
  shownInside(
    'AuditInclusionProof',
    {
      event: doc({}, 'stored form'),
      index: 'integer',
      size: 'integer',
      path: doc([SHA256], 'RFC 9162 2.1.3, from the leaf to the root'),
      anchor: ANCHOR,
    },
    {
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
  ),
);

export const CONSISTENCY = shaped(
  'that the larger tree begins with the leaves of the smaller one',
  shownInside(
    'AuditConsistencyProof',
    { from: 'integer', to: 'integer', path: doc([SHA256], 'RFC 9162 2.1.4') },
    { from: 10_000, to: 20_000, path: [ROOT] },
  ),
);
