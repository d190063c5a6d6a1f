import { hash } from 'node:crypto';
import type { Anchor } from './integrity-events.js';

/** Content of an anchor. `root`: lower-case hex. */
type CheckpointFacts = Readonly<{ installation: string; size: number; root: string; time: string; position: string }>;

/** Origin of an installation's checkpoints; also the name of its keys in signed notes. */
export const originOf = (installation: string): string => `logbook/${installation}`;

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** Body of a checkpoint (C2SP tlog-checkpoint): origin, size, root, then time and position as extension lines. Each line ends with a line feed. */
export const checkpointText = ({ installation, size, root, time, position }: CheckpointFacts): string =>
  `${originOf(installation)}\n${size}\n${base64(root)}\n${time}\n${position}\n`;

/** RFC 7638 thumbprint of an Ed25519 key. @param x the public key as in a JWK (base64url) */
export const thumbprint = (x: string): string => hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');

/** The algorithm number of Ed25519 in signed notes. */
const ED25519 = 1;

/** Key hash of a signed note: the first four bytes of SHA-256(name, line feed, algorithm, public key). */
const keyHash = (name: string, publicKey: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), publicKey]), 'buffer').subarray(0, 4);

/** Formats an anchor as a signed note (C2SP signed-note) for witnesses and the tools of the Go checksum database. @param x public key of the signer */
export const signedNote = ({ text, signature }: Pick<Anchor, 'text' | 'signature'>, x: string): string => {
  const name = text.slice(0, text.indexOf('\n'));
  const signed = Buffer.concat([keyHash(name, Buffer.from(x, 'base64url')), Buffer.from(signature, 'base64')]);
  return `${text}\n— ${name} ${signed.toString('base64')}\n`;
};
