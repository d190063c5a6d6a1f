import { anchors } from '#domain/integrity/anchors.js';
import { checkpointText } from '#domain/integrity/checkpoint.js';
import { ANCHORS_STREAM, type Anchor, SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { type SigningKeys, signingKeys } from '#domain/integrity/signing-keys.js';
import { type Cause, causeIn } from '#domain/shared/causation.js';
import { type EventStore, EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Position } from '#domain/shared/events.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { systemContext } from '#infra/stores/event-store/system-events.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import type { Chain } from './chain.js';
import { knownSigningKeys } from './known-keys.js';
import { SigningKey, type SigningKeyFile } from './signing-key.js';

type SignerDependencies = Readonly<{
  events: EventStore;
  processor: StreamProcessor;
  chain: Chain;
  file: SigningKeyFile;
  now: () => number;
  log: Pick<Logger, 'warn' | 'info'>;
  /** Set if other nodes may work on this log and have its key. */
  isShared: boolean;
}>;

/** This node has no key that may sign anchors. The message says what to do. */
export class CannotSign extends Error {
  override readonly name = 'CannotSign';
}

/** An anchor, the position of its event, and whether this call created it. */
export type SignedAnchor = Readonly<{ anchor: Anchor; position: Position; isNew: boolean }>;

/** Maximum time for an event of this process to be read back from the log. */
const TAKE_UP_MS = 10_000;

/** Signs anchors with the key of this installation, and replaces that key. */
export class Signer {
  private key: SigningKey | undefined;
  private ready: Promise<SigningKey> | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: SignerDependencies) {}

  /** Signs the chain at this size, unless it is already signed. @throws CannotSign, EventStoreUnavailable */
  sign(size: number, context: CommandContext = this.ownContext()): Promise<SignedAnchor> {
    return this.inTurn(() => this.signNow(size, context));
  }

  /**
   * Signs a last anchor with the current key; later anchors are signed with a new one.
   * @returns id of the new key, or of the one that the same request created before
   * @throws CannotSign the key comes from the environment
   */
  rotate(context: CommandContext): Promise<Readonly<{ keyId: string; position: Position }>> {
    return this.inTurn(() => this.rotateNow(context));
  }

  /** Publishes the key of this node in the log, if it may sign. @throws CannotSign, EventStoreUnavailable */
  async announce(): Promise<void> {
    await this.inTurn(() => this.current());
  }

  private ownContext(cause: Cause | null = null): CommandContext {
    return systemContext('chain', 'ops', this.dependencies.now(), cause);
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.turn.then(work, work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async signNow(size: number, context: CommandContext): Promise<SignedAnchor> {
    const { chain, processor } = this.dependencies;
    if (size > chain.size) await this.untilSize(size);
    const known = chain.anchors.at(size);
    if (known && !context.idempotency) return { anchor: known, position: await this.head(), isNew: false };
    const anchor = known ?? (await this.make(size));
    const command = { type: 'SignAnchor', anchor } as const;
    const { events, position } = await processor.execute({ stream: ANCHORS_STREAM, decider: anchors, command, context });
    const made = events[0]?.data;
    if (made) {
      await chain.tookUp(position, TAKE_UP_MS);
      return { anchor: made, position, isNew: true };
    }
    await chain.tookUp(position, TAKE_UP_MS);
    return { anchor: chain.anchors.at(size) ?? anchor, position, isNew: false };
  }

  private head(): Promise<Position> {
    return this.dependencies.events.end();
  }

  private async untilSize(size: number): Promise<void> {
    const { chain } = this.dependencies;
    const until = performance.now() + TAKE_UP_MS;
    while (chain.size < size) {
      const rest = until - performance.now();
      if (rest <= 0) throw new EventStoreUnavailable(`the chain has not reached size ${size} yet`);
      await chain.change(rest);
    }
  }

  private async make(size: number): Promise<Anchor> {
    const { chain } = this.dependencies;
    const key = await this.current();
    const root = (await chain.root(size)).toString('hex');
    const { time, position } = await chain.endOf(size);
    const text = checkpointText({ installation: await this.installation(), size, root, time, position });
    return { size, root, time, position, keyId: key.keyId, text, signature: key.sign(text) };
  }

  private async installation(): Promise<string> {
    const installation = await new LogIdentity(this.dependencies.events).installation();
    if (installation === null) throw new EventStoreUnavailable('the log has no installation yet');
    return installation;
  }

  /** Returns the current signing key. @throws CannotSign */
  private async current(): Promise<SigningKey> {
    this.key ??= await this.prepare();
    const known = (await knownSigningKeys(this.dependencies.events)).find(({ keyId }) => keyId === this.key?.keyId);
    if (known?.until === null) return this.key;
    // Another node has replaced it, or the log is another one: look it up again.
    this.key = undefined;
    this.key = await this.prepare();
    return this.key;
  }

  private prepare(): Promise<SigningKey> {
    this.ready ??= this.introduce().finally(() => {
      this.ready = undefined;
    });
    return this.ready;
  }

  /** Finds the key of this node and publishes it in the log; the first node of a log creates one. @throws CannotSign */
  private async introduce(): Promise<SigningKey> {
    const { events, file, isShared } = this.dependencies;
    const known = await knownSigningKeys(events);
    const { key, next } = await file.load();
    if (next) {
      const isInUse = known.some(({ keyId, until }) => keyId === next.keyId && until === null);
      if (isInUse) {
        await file.adoptNext();
        return next;
      }
      await file.dropNext();
    }
    if (key) {
      if (!known.some(({ keyId }) => keyId === key.keyId)) this.warnOfAnother(known, 'is not the one of this log');
      return this.use(key);
    }
    if (isShared && known.some(({ until }) => until === null))
      throw new CannotSign('this node has no signing key: copy keys/signing.key from the node that has it, or set LOGBOOK_SIGNING_KEY');
    this.warnOfAnother(known, 'is missing');
    const made = SigningKey.generate();
    await file.putNext(made);
    await this.use(made);
    await file.adoptNext();
    return made;
  }

  /** Logs a warning before a key is published in a log whose anchors were signed with another one. */
  private warnOfAnother(known: SigningKeys, what: string): void {
    const { file, log } = this.dependencies;
    const current = known.find(({ until }) => until === null);
    if (!current) return;
    log.warn(
      { expected: current.keyId },
      `the signing key ${what} (${file.isGiven ? 'LOGBOOK_SIGNING_KEY' : 'keys/signing.key'}): from now on anchors are signed with a new one, and the former one is retired. Publish the new list of keys`,
    );
  }

  private async use(key: SigningKey): Promise<SigningKey> {
    await this.record(key, this.ownContext());
    const known = await knownSigningKeys(this.dependencies.events);
    if (known.find(({ keyId }) => keyId === key.keyId)?.until === null) return key;
    throw new CannotSign('the signing key of this node was replaced: copy the new keys/signing.key from the node that created it');
  }

  private async record(key: SigningKey, context: CommandContext) {
    const at = new Date(this.dependencies.now()).toISOString();
    const command = { type: 'UseSigningKey', keyId: key.keyId, x: key.x, at } as const;
    return this.dependencies.processor.execute({ stream: SIGNING_KEYS_STREAM, decider: signingKeys, command, context });
  }

  private async rotateNow(context: CommandContext): Promise<Readonly<{ keyId: string; position: Position }>> {
    const { chain, file, log } = this.dependencies;
    if (file.isGiven)
      throw new CannotSign('the signing key comes from LOGBOOK_SIGNING_KEY: set another one there, on every node, and start them again');
    try {
      // The key of an earlier rotation may be in the log although the outcome was unknown: it is adopted before another one replaces it in the file.
      await this.current();
      await this.signNow(chain.size, this.ownContext(causeIn(context)));
    } catch (error) {
      if (!(error instanceof CannotSign)) throw error;
      log.warn({ err: error }, 'the former signing key is not on this node: it signs no last anchor');
    }
    const made = SigningKey.generate();
    await file.putNext(made);
    const { events, position } = await this.record(made, context);
    const introduced = events.find(({ type }) => type === 'SigningKeyIntroduced')?.data.keyId ?? made.keyId;
    if (introduced === made.keyId) {
      await file.adoptNext();
      this.key = made;
    } else await file.dropNext();
    return { keyId: introduced, position };
  }
}
