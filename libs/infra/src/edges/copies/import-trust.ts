import { originOf } from '#domain/integrity/checkpoint.js';
import { ANCHORS_STREAM, type Anchor, SIGNING_KEYS_STREAM, type SigningKeyIntroduced } from '#domain/integrity/integrity-events.js';
import type { PublicKey } from '#domain/integrity/proof.js';
import { type InstallationFounded, LOG_STREAM } from '#domain/operations/log-events.js';
import { AnchorSignatures, anchorProblem } from '#infra/engine/integrity/verification/anchor-check.js';
import type { EventLine, ExportHeader } from './export-lines.js';

/** Public keys that sign the anchors of the installation, from a source that the operator trusts; `null`: the file itself is trusted. */
export type TrustedKeys = readonly PublicKey[] | null;

/** An event with the plain hash of a credential. */
type PlainHash = Readonly<{ index: number; line: number }>;

/**
 * Checks the statements of an export file against keys from outside the file: the installation that it belongs to, and the index up to
 * which its events are signed. A flaw is a clause after the line number.
 */
export class ImportTrust {
  private readonly signatures: AnchorSignatures | undefined;
  private readonly keys: ReadonlySet<string>;
  private newestPlain: PlainHash | undefined;
  private isFounded: boolean;
  /** Events before this index are signed. */
  signedTo: number;

  constructor(
    private readonly header: Pick<ExportHeader, 'installation' | 'from' | 'size'>,
    keys: TrustedKeys,
  ) {
    this.signatures = keys ? new AnchorSignatures(keys) : undefined;
    this.keys = new Set(keys?.map(({ x }) => x));
    this.signedTo = header.from;
    this.isFounded = header.from > 0;
  }

  /** @param root over the events up to the size of an anchor; `undefined` if there is no such root */
  event({ stream, revision, type, data }: EventLine, root: Buffer | undefined): string | undefined {
    if (stream === LOG_STREAM && revision === 0) return this.founding(type, data);
    if (stream === ANCHORS_STREAM) return this.anchor(data as Anchor, root);
    if (stream === SIGNING_KEYS_STREAM && type === 'SigningKeyIntroduced') return this.signingKey(data as SigningKeyIntroduced);
    return undefined;
  }

  /**
   * Records an event with the plain hash of a credential. Releases that sign have none, so unsigned events must not have any either.
   * @param isLate leaves precede it, so a release without plain hashes wrote it
   */
  plainHash(index: number, line: number, isLate: boolean): string | undefined {
    if (!this.signatures && isLate) return PLAIN_HASH;
    this.newestPlain = { index, line };
    return undefined;
  }

  /** Flaw of the file as a whole, with its line. @param last number of its last line */
  atEnd(last: number): Readonly<{ number: number; why: string }> | undefined {
    const { newestPlain, signatures, signedTo } = this;
    if (!this.isFounded) return { number: last, why: 'the founding of the installation does not stand before it' };
    if (!signatures || !newestPlain || newestPlain.index < signedTo) return undefined;
    return { number: newestPlain.line, why: PLAIN_HASH };
  }

  private founding(type: string, data: EventLine['data']): string | undefined {
    const { installation } = data as Partial<InstallationFounded>;
    this.isFounded = type === 'InstallationFounded' && installation === this.header.installation;
    return this.isFounded ? undefined : 'founds another installation than that of the first line';
  }

  private anchor(anchor: Anchor, root: Buffer | undefined): string | undefined {
    const { header, signatures } = this;
    const isEarlier = anchor.size < header.from; // its leaves are not in the file
    if (!root && !isEarlier) return `the anchor of size ${anchor.size} does not stand behind the leaves that it covers`;
    if (!signatures) return undefined;
    const problem = anchorProblem(anchor, root ?? null, signatures);
    if (problem) return problem.detail;
    if (!anchor.text.startsWith(`${originOf(header.installation)}\n`)) return 'the anchor is of another installation than the first line';
    this.signedTo = Math.max(this.signedTo, anchor.size);
    return undefined;
  }

  private signingKey({ x }: SigningKeyIntroduced): string | undefined {
    return !this.signatures || this.keys.has(x) ? undefined : 'introduces a signing key that is none of the given keys';
  }
}

const PLAIN_HASH = 'has the plain hash of a credential, which only events of older releases have';
