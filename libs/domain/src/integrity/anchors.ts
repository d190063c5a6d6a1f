import type { Decider } from '#domain/shared/decider.js';
import type { Anchor } from './integrity-events.js';

type AnchorSigned = Readonly<{ type: 'AnchorSigned'; data: Anchor }>;

/** Records a signed anchor. The signer is responsible for the tree; the decider ensures that each size is signed once. */
type SignAnchor = Readonly<{ type: 'SignAnchor'; anchor: Anchor }>;

/** Number of recent sizes that are checked. Two signers can only conflict at the newest sizes. */
const WINDOW = 16;

/** State: the newest sizes, oldest first. */
export const anchors: Decider<readonly number[], SignAnchor, AnchorSigned> = {
  window: WINDOW,
  initialState: () => [],
  decide: ({ anchor }, sizes) => {
    const { size, root, time, position, keyId, text, signature } = anchor;
    return sizes.includes(size) ? [] : [{ type: 'AnchorSigned', data: { size, root, time, position, keyId, text, signature } }];
  },
  evolve: (sizes, { data }) => [...sizes, data.size].slice(-WINDOW),
};
