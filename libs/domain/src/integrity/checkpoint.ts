import { hash } from 'node:crypto';
import type { Anchor } from './integrity-events.js';

/** Content of an anchor. `root`: lower-case hex. */
type CheckpointFacts = Readonly<{ installation: string; size: number; root: string; time: string; position: string }>;

/** The origin of the checkpoints of an installation, which is also the name of its keys in signed notes. */
export const originOf = (installation: string): string => `logbook/${installation}`;

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** The body of a checkpoint (C2SP tlog-checkpoint): origin, size, root, and two lines of our own. Each line ends with a line feed. */
export const checkpointText = ({ installation, size, root, time, position }: CheckpointFacts): string =>
  `${originOf(installation)}\n${size}\n${base64(root)}\n${time}\n${position}\n`;

/** RFC 7638 thumbprint of an Ed25519 key. @param x the public key as in a JWK (base64url) */
export const thumbprint = (x: string): string => hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');

/** The algorithm number of Ed25519 in signed notes. */
const ED25519 = 1;

/** How a signed note names a key: the first four bytes of SHA-256(name, line feed, algorithm, public key). */
const keyHash = (name: string, publicKey: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), publicKey]), 'buffer').subarray(0, 4);

/** An anchor as a signed note (C2SP signed-note), as witnesses and the tools of the Go checksum database read it. @param x of the key that signed it */
export const signedNote = ({ text, signature }: Pick<Anchor, 'text' | 'signature'>, x: string): string => {
  const name = text.slice(0, text.indexOf('\n'));
  const signed = Buffer.concat([keyHash(name, Buffer.from(x, 'base64url')), Buffer.from(signature, 'base64')]);
  return `${text}\n— ${name} ${signed.toString('base64')}\n`;
};
